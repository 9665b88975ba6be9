/* store.merge_deliveries */
-- The least upper bound of what is stored and what a batch brings; Delivery.merge says the same in
-- Swift. The batch holds each key once, in the order of the primary key. A pair of a clock and a time
-- is taken as one: coalesce(new < old, old is absent) is true where the new one is the better.
-- prior_paths tells what the row knew before, without a race: its paths, and 4096, the bit above
-- theirs, where it had an outcome.
insert into deliveries as d (
  bucket, project_id, event_id, device_key, device_id, paths, first_seen_at, sent_at,
  received_clock, received_at, presented_clock, presented_at, opened_clock, opened_at,
  segment_rank, segment_at, segment_id, tap_segment_rank, tap_segment_at, tap_segment_id, landing,
  devices_differ)
select
  bucket, project_id, event_id, device_key, device_id, paths, first_seen_at, sent_at,
  received_clock, received_at, presented_clock, presented_at, opened_clock, opened_at,
  segment_rank, segment_at, segment_id, tap_segment_rank, tap_segment_at, tap_segment_id, landing,
  devices_differ
from unnest($1::delivery_merge[])
on conflict (bucket, project_id, event_id, device_key) do update set
  prior_paths = d.paths | case when (d.landing).outcome is null then 0 else 4096 end,
  paths = d.paths | excluded.paths,
  first_seen_at = least(d.first_seen_at, excluded.first_seen_at),
  sent_at = least(d.sent_at, excluded.sent_at),
  device_id = least(d.device_id, excluded.device_id),
  devices_differ = d.devices_differ or excluded.devices_differ
    or coalesce(d.device_id <> excluded.device_id, false),
  landing = least(d.landing, excluded.landing),
  received_clock = case when coalesce(
    (excluded.received_clock >> 1, excluded.received_at, excluded.received_clock)
      < (d.received_clock >> 1, d.received_at, d.received_clock), d.received_at is null)
    then excluded.received_clock else d.received_clock end,
  received_at = case when coalesce(
    (excluded.received_clock >> 1, excluded.received_at, excluded.received_clock)
      < (d.received_clock >> 1, d.received_at, d.received_clock), d.received_at is null)
    then excluded.received_at else d.received_at end,
  presented_clock = case when coalesce(
    (excluded.presented_clock >> 1, excluded.presented_at, excluded.presented_clock)
      < (d.presented_clock >> 1, d.presented_at, d.presented_clock), d.presented_at is null)
    then excluded.presented_clock else d.presented_clock end,
  presented_at = case when coalesce(
    (excluded.presented_clock >> 1, excluded.presented_at, excluded.presented_clock)
      < (d.presented_clock >> 1, d.presented_at, d.presented_clock), d.presented_at is null)
    then excluded.presented_at else d.presented_at end,
  opened_clock = case when coalesce(
    (excluded.opened_clock >> 1, excluded.opened_at, excluded.opened_clock)
      < (d.opened_clock >> 1, d.opened_at, d.opened_clock), d.opened_at is null)
    then excluded.opened_clock else d.opened_clock end,
  opened_at = case when coalesce(
    (excluded.opened_clock >> 1, excluded.opened_at, excluded.opened_clock)
      < (d.opened_clock >> 1, d.opened_at, d.opened_clock), d.opened_at is null)
    then excluded.opened_at else d.opened_at end,
  segment_rank = case when coalesce(
    (excluded.segment_rank, excluded.segment_at, excluded.segment_id)
      < (d.segment_rank, d.segment_at, d.segment_id), d.segment_id is null)
    then excluded.segment_rank else d.segment_rank end,
  segment_at = case when coalesce(
    (excluded.segment_rank, excluded.segment_at, excluded.segment_id)
      < (d.segment_rank, d.segment_at, d.segment_id), d.segment_id is null)
    then excluded.segment_at else d.segment_at end,
  segment_id = case when coalesce(
    (excluded.segment_rank, excluded.segment_at, excluded.segment_id)
      < (d.segment_rank, d.segment_at, d.segment_id), d.segment_id is null)
    then excluded.segment_id else d.segment_id end,
  tap_segment_rank = case when coalesce(
    (excluded.tap_segment_rank, excluded.tap_segment_at, excluded.tap_segment_id)
      < (d.tap_segment_rank, d.tap_segment_at, d.tap_segment_id), d.tap_segment_id is null)
    then excluded.tap_segment_rank else d.tap_segment_rank end,
  tap_segment_at = case when coalesce(
    (excluded.tap_segment_rank, excluded.tap_segment_at, excluded.tap_segment_id)
      < (d.tap_segment_rank, d.tap_segment_at, d.tap_segment_id), d.tap_segment_id is null)
    then excluded.tap_segment_at else d.tap_segment_at end,
  tap_segment_id = case when coalesce(
    (excluded.tap_segment_rank, excluded.tap_segment_at, excluded.tap_segment_id)
      < (d.tap_segment_rank, d.tap_segment_at, d.tap_segment_id), d.tap_segment_id is null)
    then excluded.tap_segment_id else d.tap_segment_id end
returning prior_paths;
