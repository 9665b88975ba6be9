/* store.find_key */
select k.id, k.scope, k.revoked_at is not null, p.id, p.name, p.dedupe, p.rate_limit, p.created_at
from keys k join projects p on p.id = k.project_id
where k.hash = sha256($1::bytea);
