/* alerts.heard_of */
-- Whether anything arrived at all from $2 to $3; $4 … $8 as in count_arrivals.
select exists (
  select from deliveries d
  left join segments s on s.project_id = d.project_id and s.id = d.segment_id
  where d.project_id = $1::integer
    and d.cohort_at >= $2::timestamptz and d.cohort_at < $3::timestamptz
    and ($4::text[] = '{}' or coalesce(s.platform, '') = all ($4))
    and ($5::text[] = '{}' or coalesce(s.app_version, '') = all ($5))
    and ($6::text[] = '{}' or coalesce(s.os_version, '') = all ($6))
    and ($7::text[] = '{}' or coalesce(s.target_type, '') = all ($7))
    and ($8::text[] = '{}' or coalesce(s.campaign, '') = all ($8)));
