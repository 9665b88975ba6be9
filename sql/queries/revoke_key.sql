/* store.revoke_key */
-- Revoked once is revoked for ever: the first time stays.
update keys k set revoked_at = coalesce(k.revoked_at, now())
from projects p
where k.id = $1::text and p.id = k.project_id
returning k.id, k.scope, k.created_at, k.revoked_at, p.name;
