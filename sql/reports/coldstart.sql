/* reports.coldstart */
-- Parameters as in funnel.sql; $16 wanted launches, $17 group by them (a row has its launch with or
-- without), $18 now. Percentiles are exact, in milliseconds.
with tapped as (
  select t.opened_at, t.launch::text as launch, t.outcome, t.slowest_gate,
    t.tap_to_screen_ms as screen_ms,
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
  select
    case when $9::boolean then t.platform end as platform,
    case when $10::boolean then t.app_version end as app_version,
    case when $11::boolean then t.os_version end as os_version,
    case when $12::boolean then t.target_type end as target_type,
    case when $13::boolean then t.campaign end as campaign,
    case when $14::boolean then date_trunc('hour', t.opened_at) end as hour,
    case when $15::boolean then date_trunc('day', t.opened_at) end as day,
    t.launch, t.screen_ms, t.slowest_gate,
    r.platform is not null as reports,
    t.outcome is null and t.opened_at < $18::timestamptz - interval '2 minutes' as missing
  from tapped t
  left join reporting r on r.platform = coalesce(t.platform, '')
    and r.app_version = coalesce(t.app_version, '')
  where ($4::text[] = '{}' or coalesce(t.platform, '') = all ($4))
    and ($5::text[] = '{}' or coalesce(t.app_version, '') = all ($5))
    and ($6::text[] = '{}' or coalesce(t.os_version, '') = all ($6))
    and ($7::text[] = '{}' or coalesce(t.target_type, '') = all ($7))
    and ($8::text[] = '{}' or coalesce(t.campaign, '') = all ($8))
    and ($16::text[] = '{}' or coalesce(t.launch, '') = all ($16))
), aggregated as (
  select platform, app_version, os_version, target_type, campaign, hour, day, launch,
    count(*) as opened,
    count(screen_ms) as screen_all,
    count(*) filter (where screen_ms between 0 and 60000) as n,
    percentile_cont(array[0.5, 0.9, 0.95, 0.99, 1]) within group (order by screen_ms)
      filter (where screen_ms between 0 and 60000) as p,
    count(*) filter (where reports and missing) as lost,
    count(*) filter (where reports) as in_reporting,
    mode() within group (order by slowest_gate) as slowest_gate
  from grouped
  group by 1, 2, 3, 4, 5, 6, 7, 8
)
select
  platform, app_version as "appVersion", os_version as "osVersion", target_type as "targetType",
  campaign,
  to_char(hour, 'YYYY-MM-DD"T"HH24:MI:SSTZH:TZM') as hour,
  to_char(day, 'YYYY-MM-DD') as day,
  launch, opened, n, screen_all - n as excluded,
  p[1] as p50, p[2] as p90, p[3] as p95, p[4] as p99, p[5] as max,
  lost, in_reporting as "inReporting", slowest_gate as "slowestGate"
from aggregated
where $17::boolean is not null
order by aggregated.hour, aggregated.day, platform, app_version, os_version, target_type, campaign,
  array_position(array['cold', 'warm', 'foreground'], launch);
