/* alerts.count_taps */
-- The taps of a project by time: $2 from, $3 from where by the minute (by the hour before, counted back
-- from there), $4 until; $5 … $10 wanted platforms, app versions, OS versions, target types, campaigns
-- and launches. A tap is judged for lost when it is 2 minutes old, $11 now.
with tapped as (
  select t.opened_at, t.launch::text as launch, t.outcome,
    s.platform, s.app_version, s.os_version, s.target_type, s.campaign
  from taps t
  left join segments s on s.project_id = t.project_id and s.id = t.segment_id
  where t.project_id = $1::integer
    and t.opened_at >= $2::timestamptz and t.opened_at < $4::timestamptz
), reporting as (
  -- Builds that report outcomes at all; no field is ever '', so that '' can stand for absent ones.
  select distinct coalesce(platform, '') as platform, coalesce(app_version, '') as app_version
  from tapped
  where outcome is not null
)
select
  case when t.opened_at >= $3::timestamptz then date_trunc('minute', t.opened_at)
    else date_bin('1 hour', t.opened_at, $3::timestamptz) end as at,
  count(*) filter (where t.outcome <> 'cancelled') as resolved,
  count(*) filter (where t.outcome = 'home') as home,
  count(*) filter (where t.outcome = 'stayed') as stayed,
  count(*) filter (
    where r.platform is not null
      and (t.outcome is not null or t.opened_at < $11::timestamptz - interval '2 minutes'))
    as settled,
  count(*) filter (
    where r.platform is not null
      and t.outcome is null and t.opened_at < $11::timestamptz - interval '2 minutes') as lost
from tapped t
left join reporting r on r.platform = coalesce(t.platform, '')
  and r.app_version = coalesce(t.app_version, '')
where ($5::text[] = '{}' or coalesce(t.platform, '') = all ($5))
  and ($6::text[] = '{}' or coalesce(t.app_version, '') = all ($6))
  and ($7::text[] = '{}' or coalesce(t.os_version, '') = all ($7))
  and ($8::text[] = '{}' or coalesce(t.target_type, '') = all ($8))
  and ($9::text[] = '{}' or coalesce(t.campaign, '') = all ($9))
  and ($10::text[] = '{}' or coalesce(t.launch, '') = all ($10))
group by 1
order by 1;
