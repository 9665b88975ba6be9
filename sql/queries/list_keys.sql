/* store.list_keys */
select id, scope, created_at, revoked_at from keys
where project_id = $1::integer
order by created_at, id;
