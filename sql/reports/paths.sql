/* reports.paths */
-- Parameters as in funnel.sql. The paths of a stage are four bits of the set: 1 extension,
-- 2 foreground, 4 tap, 8 silent; received lowest, then presented, then opened.
with sets as (
  select
    case when $9::boolean then s.platform end as platform,
    case when $10::boolean then s.app_version end as app_version,
    case when $11::boolean then s.os_version end as os_version,
    case when $12::boolean then s.target_type end as target_type,
    case when $13::boolean then s.campaign end as campaign,
    case when $14::boolean then date_trunc('hour', c.cohort_at) end as hour,
    case when $15::boolean then date_trunc('day', c.cohort_at) end as day,
    c.paths::integer as bits,
    count(*) as deliveries
  from cohorts c
  left join segments s on s.project_id = c.project_id and s.id = c.segment_id
  where c.project_id = $1::integer
    and c.cohort_at >= $2::timestamptz and c.cohort_at < $3::timestamptz
    and ($4::text[] = '{}' or coalesce(s.platform, '') = all ($4))
    and ($5::text[] = '{}' or coalesce(s.app_version, '') = all ($5))
    and ($6::text[] = '{}' or coalesce(s.os_version, '') = all ($6))
    and ($7::text[] = '{}' or coalesce(s.target_type, '') = all ($7))
    and ($8::text[] = '{}' or coalesce(s.campaign, '') = all ($8))
  group by 1, 2, 3, 4, 5, 6, 7, 8
), seen as (
  select platform, app_version, os_version, target_type, campaign, hour, day,
    stage.position, stage.name as stage, bits >> (4 * stage.position) & 15 as bits,
    sum(deliveries)::bigint as deliveries,
    -- No receipt of any stage came from the extension.
    coalesce(sum(deliveries) filter (where bits & 273 = 0), 0)::bigint as without_extension
  from sets
  cross join (values (0, 'received'), (1, 'presented'), (2, 'opened')) as stage (position, name)
  where bits >> (4 * stage.position) & 15 > 0
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
)
select
  platform, app_version as "appVersion", os_version as "osVersion", target_type as "targetType",
  campaign,
  to_char(hour, 'YYYY-MM-DD"T"HH24:MI:SSTZH:TZM') as hour,
  to_char(day, 'YYYY-MM-DD') as day,
  stage,
  concat_ws('+',
    case when bits & 1 > 0 then 'extension' end, case when bits & 2 > 0 then 'foreground' end,
    case when bits & 4 > 0 then 'tap' end, case when bits & 8 > 0 then 'silent' end) as paths,
  deliveries, without_extension as "withoutExtension"
from seen
order by seen.hour, seen.day, platform, app_version, os_version, target_type, campaign, position,
  deliveries desc, bits;
