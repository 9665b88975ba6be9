/* alerts.count_segment_taps */
-- The taps of a project by segment and launch, in two windows: from $2 to $3 in ordinary times, from
-- $3 to $4 since the change. $5 … $11 as in count_taps. Those with most taps since come first.
with tapped as (
  select t.opened_at >= $3::timestamptz as is_since, t.launch::text as launch, t.outcome,
    t.opened_at < $11::timestamptz - interval '2 minutes' as is_old,
    s.platform, s.app_version, s.os_version, s.target_type, s.campaign
  from taps t
  left join segments s on s.project_id = t.project_id and s.id = t.segment_id
  where t.project_id = $1::integer
    and t.opened_at >= $2::timestamptz and t.opened_at < $4::timestamptz
), reporting as (
  select distinct coalesce(platform, '') as platform, coalesce(app_version, '') as app_version
  from tapped
  where outcome is not null
)
select t.platform, t.app_version, t.os_version, t.target_type, t.launch, t.is_since,
  count(*) filter (where t.outcome <> 'cancelled') as resolved,
  count(*) filter (where t.outcome = 'home') as home,
  count(*) filter (where t.outcome = 'stayed') as stayed,
  count(*) filter (where r.platform is not null and (t.outcome is not null or t.is_old)) as settled,
  count(*) filter (where r.platform is not null and t.outcome is null and t.is_old) as lost
from tapped t
left join reporting r on r.platform = coalesce(t.platform, '')
  and r.app_version = coalesce(t.app_version, '')
where ($5::text[] = '{}' or coalesce(t.platform, '') = all ($5))
  and ($6::text[] = '{}' or coalesce(t.app_version, '') = all ($6))
  and ($7::text[] = '{}' or coalesce(t.os_version, '') = all ($7))
  and ($8::text[] = '{}' or coalesce(t.target_type, '') = all ($8))
  and ($9::text[] = '{}' or coalesce(t.campaign, '') = all ($9))
  and ($10::text[] = '{}' or coalesce(t.launch, '') = all ($10))
group by 1, 2, 3, 4, 5, 6
order by t.is_since desc, count(*) desc
limit $12::bigint;
