/* reports.trace */
-- $1 project, $2 bucket, $3 event id, $4 device id or null: a row a device, at most $5. The local
-- times are for eyes, and so are the gates by themselves: name, line break, milliseconds, and so on,
-- the longest wait first.
select
  coalesce(nullif(c.device_key, ''), c.device_id) as "deviceId",
  c.sent_at as "sentAt",
  s.platform, s.app_version as "appVersion", s.os_version as "osVersion",
  s.target_type as "targetType", s.campaign,
  c.received_at as "receivedAt", c.received_clock as "receivedClock",
  c.presented_at as "presentedAt", c.presented_clock as "presentedClock",
  c.opened_at as "openedAt", c.opened_clock as "openedClock",
  c.paths,
  case when c.delivery_ms between -1000 and 2419200000 then greatest(c.delivery_ms, 0) end
    as delivery,
  case when c.presentation_ms between 0 and 2419200000 then c.presentation_ms end as presentation,
  case when c.reaction_ms between 0 and 2419200000 then c.reaction_ms end as reaction,
  (c.landing).rank is not null as "hasLanding",
  (c.landing).launch::text as launch, (c.landing).outcome::text as outcome,
  (c.landing).reason as reason, (c.landing).tap_to_screen_ms as "tapToScreenMs",
  (c.landing).target_id as "targetId", (c.landing).gates as gates,
  (
    select string_agg(key || chr(10) || value, chr(10) order by value::double precision desc, key)
    from json_each_text((c.landing).gates::json)
  ) as "gateLines",
  to_char(c.sent_at, 'YYYY-MM-DD HH24:MI:SS.MS') as "sentLocal",
  to_char(c.received_at, 'YYYY-MM-DD HH24:MI:SS.MS') as "receivedLocal",
  to_char(c.presented_at, 'YYYY-MM-DD HH24:MI:SS.MS') as "presentedLocal",
  to_char(c.opened_at, 'YYYY-MM-DD HH24:MI:SS.MS') as "openedLocal"
from cohorts c
left join segments s on s.project_id = c.project_id and s.id = c.segment_id
where c.project_id = $1::integer and c.bucket = $2::integer and c.event_id = $3::text
  and ($4::text is null or coalesce(nullif(c.device_key, ''), c.device_id) = $4)
order by c.cohort_at, c.device_key
limit $5::bigint;
