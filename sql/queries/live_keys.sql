/* store.live_keys */
select id from keys
where project_id = $1::integer and scope = $2::text and revoked_at is null
order by created_at, id;
