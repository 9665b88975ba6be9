/* alerts.count_arrivals */
-- The deliveries of a project by minute, at the time to which funnels count them: in each of the
-- windows from $2 to $3. $4 … $8 wanted platforms, app versions, OS versions, target types, campaigns.
select date_trunc('minute', d.cohort_at) as at, count(*) as deliveries
from unnest($2::timestamptz[], $3::timestamptz[]) as windows (since, until)
cross join lateral (
  select cohort_at, segment_id
  from deliveries
  where project_id = $1::integer and cohort_at >= windows.since and cohort_at < windows.until
) d
left join segments s on s.project_id = $1::integer and s.id = d.segment_id
where ($4::text[] = '{}' or coalesce(s.platform, '') = all ($4))
  and ($5::text[] = '{}' or coalesce(s.app_version, '') = all ($5))
  and ($6::text[] = '{}' or coalesce(s.os_version, '') = all ($6))
  and ($7::text[] = '{}' or coalesce(s.target_type, '') = all ($7))
  and ($8::text[] = '{}' or coalesce(s.campaign, '') = all ($8))
group by 1
order by 1;
