/* alerts.count_taps */
-- The taps of a project by time: $2 from, $3 from where by the minute (by the hour before, counted back
-- from there), $4 until; $5 … $10 wanted platforms, app versions, OS versions, target types, campaigns
-- and launches. A tap is judged for lost when it is 2 minutes old, $11 now. A busy project has millions
-- of taps in a week: they are counted by segment before anything is looked up.
with counted as (
  select
    case when t.opened_at >= $3::timestamptz then date_trunc('minute', t.opened_at)
      else date_bin('1 hour', t.opened_at, $3::timestamptz) end as at,
    t.segment_id,
    $10::text[] = '{}' or coalesce(t.launch::text, '') = all ($10) as is_wanted,
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
  -- No field is ever '', so that '' can stand for absent ones.
  select c.*, coalesce(s.platform, '') as platform, coalesce(s.app_version, '') as app_version,
    coalesce(s.os_version, '') as os_version, coalesce(s.target_type, '') as target_type,
    coalesce(s.campaign, '') as campaign
  from counted c
  left join segments s on s.project_id = $1::integer and s.id = c.segment_id
), reporting as (
  -- Builds that report outcomes at all.
  select distinct platform, app_version, true as reports from segmented where told > 0
)
select at,
  sum(resolved)::bigint as resolved,
  sum(home)::bigint as home,
  sum(stayed)::bigint as stayed,
  coalesce(sum(told + untold) filter (where reports), 0)::bigint as settled,
  coalesce(sum(untold) filter (where reports), 0)::bigint as lost
from segmented
left join reporting using (platform, app_version)
where is_wanted
  and ($5::text[] = '{}' or platform = all ($5))
  and ($6::text[] = '{}' or app_version = all ($6))
  and ($7::text[] = '{}' or os_version = all ($7))
  and ($8::text[] = '{}' or target_type = all ($8))
  and ($9::text[] = '{}' or campaign = all ($9))
group by at
order by at;
