/* alerts.settle_notification */
-- How a try ended: $3 in words; taken ($4), or to be tried again at $5, or given up where that is null.
update alert_notifications set
  tries = tries + 1, result = $3::text, is_delivered = $4::boolean,
  next_try_at = coalesce($5::timestamptz, next_try_at),
  settled_at = case when $5::timestamptz is null then $2::timestamptz end
where id = $1::text and settled_at is null;
