/* reports.latency */
-- Parameters as in funnel.sql. Exact percentiles in milliseconds. delivery, presentation and reaction
-- belong to the cohort's time and the delivery's segment, screen to the tap's time and segment.
with in_window as (
  select project_id, cohort_at, segment_id, delivery_ms, presentation_ms, reaction_ms
  from cohorts
  where project_id = $1::integer
    and cohort_at >= $2::timestamptz and cohort_at < $3::timestamptz
  -- A fence: else every aggregate would compute its latency anew.
  offset 0
), cohort_samples as (
  select
    case when $9::boolean then s.platform end as platform,
    case when $10::boolean then s.app_version end as app_version,
    case when $11::boolean then s.os_version end as os_version,
    case when $12::boolean then s.target_type end as target_type,
    case when $13::boolean then s.campaign end as campaign,
    case when $14::boolean then date_trunc('hour', c.cohort_at) end as hour,
    case when $15::boolean then date_trunc('day', c.cohort_at) end as day,
    c.delivery_ms, c.presentation_ms, c.reaction_ms
  from in_window c
  left join segments s on s.project_id = c.project_id and s.id = c.segment_id
  where ($4::text[] = '{}' or coalesce(s.platform, '') = all ($4))
    and ($5::text[] = '{}' or coalesce(s.app_version, '') = all ($5))
    and ($6::text[] = '{}' or coalesce(s.os_version, '') = all ($6))
    and ($7::text[] = '{}' or coalesce(s.target_type, '') = all ($7))
    and ($8::text[] = '{}' or coalesce(s.campaign, '') = all ($8))
), tap_samples as (
  select
    case when $9 then s.platform end as platform,
    case when $10 then s.app_version end as app_version,
    case when $11 then s.os_version end as os_version,
    case when $12 then s.target_type end as target_type,
    case when $13 then s.campaign end as campaign,
    case when $14 then date_trunc('hour', t.opened_at) end as hour,
    case when $15 then date_trunc('day', t.opened_at) end as day,
    t.tap_to_screen_ms as screen_ms
  from taps t
  left join segments s on s.project_id = t.project_id and s.id = t.segment_id
  where t.project_id = $1 and t.opened_at >= $2 and t.opened_at < $3
    and ($4 = '{}' or coalesce(s.platform, '') = all ($4))
    and ($5 = '{}' or coalesce(s.app_version, '') = all ($5))
    and ($6 = '{}' or coalesce(s.os_version, '') = all ($6))
    and ($7 = '{}' or coalesce(s.target_type, '') = all ($7))
    and ($8 = '{}' or coalesce(s.campaign, '') = all ($8))
), cohort_aggregates as (
  select platform, app_version, os_version, target_type, campaign, hour, day,
    count(delivery_ms) as delivery_all,
    count(*) filter (where delivery_ms between -1000 and 2419200000) as delivery_n,
    percentile_cont(array[0.5, 0.9, 0.95, 0.99, 1]) within group (order by greatest(delivery_ms, 0))
      filter (where delivery_ms between -1000 and 2419200000) as delivery_p,
    count(presentation_ms) as presentation_all,
    count(*) filter (where presentation_ms between 0 and 2419200000) as presentation_n,
    percentile_cont(array[0.5, 0.9, 0.95, 0.99, 1]) within group (order by presentation_ms)
      filter (where presentation_ms between 0 and 2419200000) as presentation_p,
    count(reaction_ms) as reaction_all,
    count(*) filter (where reaction_ms between 0 and 2419200000) as reaction_n,
    percentile_cont(array[0.5, 0.9, 0.95, 0.99, 1]) within group (order by reaction_ms)
      filter (where reaction_ms between 0 and 2419200000) as reaction_p
  from cohort_samples
  group by 1, 2, 3, 4, 5, 6, 7
), tap_aggregates as (
  select platform, app_version, os_version, target_type, campaign, hour, day,
    count(screen_ms) as screen_all,
    count(*) filter (where screen_ms between 0 and 60000) as screen_n,
    percentile_cont(array[0.5, 0.9, 0.95, 0.99, 1]) within group (order by screen_ms)
      filter (where screen_ms between 0 and 60000) as screen_p
  from tap_samples
  group by 1, 2, 3, 4, 5, 6, 7
), metrics as (
  select c.platform, c.app_version, c.os_version, c.target_type, c.campaign, c.hour, c.day, m.*
  from cohort_aggregates c
  cross join lateral (values
    (1, 'delivery', delivery_all, delivery_n, delivery_p),
    (2, 'presentation', presentation_all, presentation_n, presentation_p),
    (3, 'reaction', reaction_all, reaction_n, reaction_p)
  ) as m (position, metric, of_all, n, p)
  union all
  select platform, app_version, os_version, target_type, campaign, hour, day,
    4, 'screen', screen_all, screen_n, screen_p
  from tap_aggregates
  union all
  -- Everything together shows also what was never measured.
  select null, null, null, null, null, null, null, position, metric, 0, 0, null
  from (values (1, 'delivery'), (2, 'presentation'), (3, 'reaction'), (4, 'screen'))
    as m (position, metric)
  where not ($9 or $10 or $11 or $12 or $13 or $14 or $15)
    and not exists (select from cohort_aggregates where position < 4)
    and not exists (select from tap_aggregates where position = 4)
)
select
  platform, app_version as "appVersion", os_version as "osVersion", target_type as "targetType",
  campaign,
  to_char(hour, 'YYYY-MM-DD"T"HH24:MI:SSTZH:TZM') as hour,
  to_char(day, 'YYYY-MM-DD') as day,
  metric, n, of_all - n as excluded,
  p[1] as p50, p[2] as p90, p[3] as p95, p[4] as p99, p[5] as max
from metrics
-- A group shows what was measured in it.
where of_all > 0 or not ($9 or $10 or $11 or $12 or $13 or $14 or $15)
order by metrics.hour, metrics.day, platform, app_version, os_version, target_type, campaign,
  position;
