/* store.update_project_rate */
update projects set rate_limit = $2::integer where name = $1::text
returning id, name, dedupe, rate_limit, created_at;
