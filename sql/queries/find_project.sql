/* store.find_project */
select id, name, dedupe, rate_limit, created_at from projects where name = $1::text;
