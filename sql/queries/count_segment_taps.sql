/* alerts.count_segment_taps */
-- The taps of a project by segment and launch, in two windows: from $2 to $3 in ordinary times, from
-- $3 to $4 since the change. $5 … $11 as in count_taps. Those with most taps since come first.
with counted as (
  select t.opened_at >= $3::timestamptz as is_since, t.segment_id, t.launch,
    count(*) filter (where t.outcome <> 'cancelled') as resolved,
    count(*) filter (where t.outcome = 'home') as home,
    count(*) filter (where t.outcome = 'stayed') as stayed,
    count(t.outcome) as told,
    count(*) filter (
      where t.outcome is null and t.opened_at < $11::timestamptz - interval '2 minutes') as untold
  from taps t
  where t.project_id = $1::integer
    and t.opened_at >= $2::timestamptz and t.opened_at < $4::timestamptz
  group by 1, 2, 3
), segmented as (
  select c.*, s.platform, s.app_version, s.os_version, s.target_type, s.campaign,
    coalesce(s.platform, '') as build_platform, coalesce(s.app_version, '') as build_version
  from counted c
  left join segments s on s.project_id = $1::integer and s.id = c.segment_id
), reporting as (
  select distinct build_platform, build_version, true as reports from segmented where told > 0
)
select platform, app_version, os_version, target_type, launch::text, is_since,
  sum(resolved)::bigint as resolved,
  sum(home)::bigint as home,
  sum(stayed)::bigint as stayed,
  coalesce(sum(told + untold) filter (where reports), 0)::bigint as settled,
  coalesce(sum(untold) filter (where reports), 0)::bigint as lost
from segmented
left join reporting using (build_platform, build_version)
where ($5::text[] = '{}' or coalesce(platform, '') = all ($5))
  and ($6::text[] = '{}' or coalesce(app_version, '') = all ($6))
  and ($7::text[] = '{}' or coalesce(os_version, '') = all ($7))
  and ($8::text[] = '{}' or coalesce(target_type, '') = all ($8))
  and ($9::text[] = '{}' or coalesce(campaign, '') = all ($9))
  and ($10::text[] = '{}' or coalesce(launch::text, '') = all ($10))
group by platform, app_version, os_version, target_type, launch, is_since
order by is_since desc, sum(resolved + untold) desc
limit $12::bigint;
