/* store.create_key */
insert into keys (id, project_id, scope, hash)
values ($1::text, $2::integer, $3::text, sha256(convert_to($4::text, 'UTF8')));
