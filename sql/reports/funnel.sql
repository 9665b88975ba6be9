/* reports.funnel */
-- $1 project, $2 since, $3 until; $4 … $8 wanted platforms, app versions, OS versions, target types
-- and campaigns ('' is absent); $9 … $13 group by them, $14 by hour, $15 by day.
-- Deliveries and sends are counted apart and added up; without groups there is a row even of nothing.
with counted as (
  select
    case when $9::boolean then s.platform end as platform,
    case when $10::boolean then s.app_version end as app_version,
    case when $11::boolean then s.os_version end as os_version,
    case when $12::boolean then s.target_type end as target_type,
    case when $13::boolean then s.campaign end as campaign,
    case when $14::boolean then date_trunc('hour', c.cohort_at) end as hour,
    case when $15::boolean then date_trunc('day', c.cohort_at) end as day,
    0::bigint as sent,
    count(*) as reached,
    count(c.received_at) as received,
    count(c.presented_at) as presented,
    count(coalesce(c.presented_at, c.opened_at)) as shown,
    count(c.opened_at) as opened,
    count(*) filter (where c.opened_at is not null and (c.landing).outcome = 'target') as landed,
    count(*) filter (
      where c.first_seen_at - interval '1 hour' > least(c.received_at, c.presented_at, c.opened_at)
    ) as late,
    count(*) filter (where c.devices_differ) as devices_differ
  from cohorts c
  left join segments s on s.project_id = c.project_id and s.id = c.segment_id
  where c.project_id = $1::integer
    and c.cohort_at >= $2::timestamptz and c.cohort_at < $3::timestamptz
    and ($4::text[] = '{}' or coalesce(s.platform, '') = all ($4))
    and ($5::text[] = '{}' or coalesce(s.app_version, '') = all ($5))
    and ($6::text[] = '{}' or coalesce(s.os_version, '') = all ($6))
    and ($7::text[] = '{}' or coalesce(s.target_type, '') = all ($7))
    and ($8::text[] = '{}' or coalesce(s.campaign, '') = all ($8))
  group by 1, 2, 3, 4, 5, 6, 7
  union all
  select
    case when $9 then s.platform end, null, null,
    case when $12 then s.target_type end,
    case when $13 then s.campaign end,
    case when $14 then date_trunc('hour', n.sent_at) end,
    case when $15 then date_trunc('day', n.sent_at) end,
    sum(n.recipients)::bigint, 0, 0, 0, 0, 0, 0, 0, 0
  from sends n
  left join segments s on s.project_id = n.project_id and s.id = n.segment_id
  where n.project_id = $1 and n.sent_at >= $2 and n.sent_at < $3
    and ($4 = '{}' or coalesce(s.platform, '') = all ($4))
    and ($7 = '{}' or coalesce(s.target_type, '') = all ($7))
    and ($8 = '{}' or coalesce(s.campaign, '') = all ($8))
    -- A send knows no versions.
    and not ($10 or $11 or $5 <> '{}' or $6 <> '{}')
  group by 1, 2, 3, 4, 5, 6, 7
  union all
  select null, null, null, null, null, null, null, 0, 0, 0, 0, 0, 0, 0, 0, 0
  where not ($9 or $10 or $11 or $12 or $13 or $14 or $15)
)
select
  platform, app_version as "appVersion", os_version as "osVersion", target_type as "targetType",
  campaign,
  to_char(hour, 'YYYY-MM-DD"T"HH24:MI:SSTZH:TZM') as hour,
  to_char(day, 'YYYY-MM-DD') as day,
  case when not ($10 or $11 or $5 <> '{}' or $6 <> '{}') then sum(sent)::bigint end as sent,
  sum(reached)::bigint as reached,
  sum(received)::bigint as received,
  sum(presented)::bigint as presented,
  sum(shown)::bigint as shown,
  sum(opened)::bigint as opened,
  sum(landed)::bigint as landed,
  sum(late)::bigint as late,
  sum(devices_differ)::bigint as "devicesDiffer"
from counted
group by counted.platform, counted.app_version, counted.os_version, counted.target_type,
  counted.campaign, counted.hour, counted.day
order by counted.hour, counted.day, sum(reached) desc, sum(sent) desc, counted.platform,
  counted.app_version, counted.os_version, counted.target_type, counted.campaign;
