/* store.add_segments */
-- Adds at most $8 of the segments that are new, and answers which of the asked ones there are now.
with asked as (
  select * from unnest(
    $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]
  ) as s (id, platform, app_version, os_version, target_type, campaign)
), added as (
  insert into segments (project_id, id, platform, app_version, os_version, target_type, campaign)
  select $1::integer, a.id, a.platform, a.app_version, a.os_version, a.target_type, a.campaign
  from asked a
  where not exists (select from segments s where s.project_id = $1 and s.id = a.id)
  limit $8::bigint
  -- Not "do nothing": that would answer no row where another writer was a moment faster.
  on conflict (project_id, id) do update set id = segments.id
  returning id
)
select id from added
union
select s.id from segments s join asked a on s.id = a.id where s.project_id = $1;
