/* store.create_project */
insert into projects (name, dedupe, rate_limit) values ($1::text, $2::text, $3::integer)
on conflict (name) do nothing
returning id, name, dedupe, rate_limit, created_at;
