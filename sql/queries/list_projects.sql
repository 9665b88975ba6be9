/* store.list_projects */
select id, name, dedupe, rate_limit, created_at from projects order by name;
