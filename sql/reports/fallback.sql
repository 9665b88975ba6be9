/* reports.fallback */
-- Parameters as in coldstart.sql. Without groups there is a row even of nothing.
with tapped as (
  select t.opened_at, t.launch::text as launch, t.outcome, t.reason,
    s.platform, s.app_version, s.os_version, s.target_type, s.campaign
  from taps t
  left join segments s on s.project_id = t.project_id and s.id = t.segment_id
  where t.project_id = $1::integer
    and t.opened_at >= $2::timestamptz and t.opened_at < $3::timestamptz
), reporting as (
  -- Builds that report outcomes at all; no field is ever '', so that '' can stand for absent ones.
  select distinct coalesce(platform, '') as platform, coalesce(app_version, '') as app_version
  from tapped
  where outcome is not null
), grouped as (
  -- One row a reason; the rows of a group are added up further down.
  select
    case when $9::boolean then t.platform end as platform,
    case when $10::boolean then t.app_version end as app_version,
    case when $11::boolean then t.os_version end as os_version,
    case when $12::boolean then t.target_type end as target_type,
    case when $13::boolean then t.campaign end as campaign,
    case when $14::boolean then date_trunc('hour', t.opened_at) end as hour,
    case when $15::boolean then date_trunc('day', t.opened_at) end as day,
    case when $17::boolean then t.launch end as launch,
    t.reason,
    count(*) as opened,
    count(*) filter (where t.outcome = 'target') as target,
    count(*) filter (where t.outcome = 'home') as home,
    count(*) filter (where t.outcome = 'stayed') as stayed,
    count(*) filter (where t.outcome = 'unavailable') as unavailable,
    count(*) filter (where t.outcome = 'cancelled') as cancelled,
    count(*) filter (where r.platform is not null) as in_reporting,
    count(*) filter (
      where r.platform is not null and t.outcome is null
        and t.opened_at < $18::timestamptz - interval '2 minutes') as lost
  from tapped t
  left join reporting r on r.platform = coalesce(t.platform, '')
    and r.app_version = coalesce(t.app_version, '')
  where ($4::text[] = '{}' or coalesce(t.platform, '') = all ($4))
    and ($5::text[] = '{}' or coalesce(t.app_version, '') = all ($5))
    and ($6::text[] = '{}' or coalesce(t.os_version, '') = all ($6))
    and ($7::text[] = '{}' or coalesce(t.target_type, '') = all ($7))
    and ($8::text[] = '{}' or coalesce(t.campaign, '') = all ($8))
    and ($16::text[] = '{}' or coalesce(t.launch, '') = all ($16))
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  union all
  select null, null, null, null, null, null, null, null, null, 0, 0, 0, 0, 0, 0, 0, 0
  where not ($9 or $10 or $11 or $12 or $13 or $14 or $15 or $17)
), ranked as (
  select *, row_number() over (
    partition by platform, app_version, os_version, target_type, campaign, hour, day, launch
    order by reason is null, opened desc, reason) as place
  from grouped
)
select
  platform, app_version as "appVersion", os_version as "osVersion", target_type as "targetType",
  campaign,
  to_char(hour, 'YYYY-MM-DD"T"HH24:MI:SSTZH:TZM') as hour,
  to_char(day, 'YYYY-MM-DD') as day,
  launch,
  sum(opened)::bigint as opened,
  sum(target + home + stayed + unavailable)::bigint as resolved,
  sum(target)::bigint as target,
  sum(home)::bigint as home,
  sum(stayed)::bigint as stayed,
  sum(unavailable)::bigint as unavailable,
  sum(cancelled)::bigint as cancelled,
  sum(lost)::bigint as lost,
  sum(in_reporting)::bigint as "inReporting",
  -- A reason holds neither spaces nor colons.
  string_agg(reason || ':' || opened, ' ' order by place) filter (where place <= 10) as reasons
from ranked
group by ranked.platform, ranked.app_version, ranked.os_version, ranked.target_type,
  ranked.campaign, ranked.hour, ranked.day, ranked.launch
order by ranked.hour, ranked.day, sum(opened) desc, ranked.platform, ranked.app_version,
  ranked.os_version, ranked.target_type, ranked.campaign, ranked.launch;
