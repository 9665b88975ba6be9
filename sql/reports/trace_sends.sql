/* reports.trace_sends */
-- $1 project, $2 bucket, $3 event id, $4 device id or null: a row a send, at most $5.
select
  nullif(device_key, '') as "deviceId", sent_at as "sentAt", recipients,
  to_char(sent_at, 'YYYY-MM-DD HH24:MI:SS.MS') as "sentLocal"
from sends
where project_id = $1::integer and bucket = $2::integer and event_id = $3::text
  and ($4::text is null or device_key in ($4, ''))
order by sent_at, device_key
limit $5::bigint;
