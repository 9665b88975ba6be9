/* store.count_segments */
select count(*) from segments where project_id = $1::integer;
