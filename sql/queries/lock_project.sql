/* store.lock_project */
-- Whoever makes a key holds its project, so that two at once cannot both count the same keys.
select id, name, dedupe, rate_limit, created_at from projects where name = $1::text for update;
