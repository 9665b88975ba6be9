/* store.merge_sends */
-- SendRecord.merge in SQL. The batch holds each key once, in the order of the primary key.
insert into sends as s (
  bucket, project_id, event_id, device_key, sent_at, recipients, segment_id)
select bucket, project_id, event_id, device_key, sent_at, recipients, segment_id
from unnest($1::send_merge[])
on conflict (bucket, project_id, event_id, device_key) do update set
  told_before = true,
  recipients = greatest(s.recipients, excluded.recipients),
  segment_id = case
    when excluded.sent_at < s.sent_at then excluded.segment_id
    when excluded.sent_at > s.sent_at then s.segment_id
    else least(s.segment_id, excluded.segment_id) end,
  sent_at = least(s.sent_at, excluded.sent_at)
returning told_before;
