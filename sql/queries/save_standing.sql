/* alerts.save_standing */
-- The standing of a rule, the change that it is ($11 the state before, null where it is none), and what
-- receivers are to be told ($12 ids, $13 receivers): all or nothing. Of an end ($14 when the alert began
-- to fire, else null) only those are told who were told of the start. A receiver to which something of
-- the same alert still has to go is not told again what it is going to hear.
with standing as (
  insert into alert_standings as s (
    project_id, rule, definition, state, changed_at, looked_at, since, ended_at, told_at, alert)
  values (
    $1::integer, $2::text, $3::text, $4::text, $5::timestamptz, $6::timestamptz, $7::timestamptz,
    $8::timestamptz, $9::timestamptz, $10::text)
  on conflict (project_id, rule) do update set
    definition = excluded.definition, state = excluded.state, changed_at = excluded.changed_at,
    looked_at = excluded.looked_at, since = excluded.since, ended_at = excluded.ended_at,
    told_at = excluded.told_at, alert = excluded.alert
), change as (
  insert into alert_changes (project_id, rule, changed_at, before, after, alert)
  select $1::integer, $2::text, $6::timestamptz, $11::text, $4::text, $10::text
  where $11::text is not null
  returning id
)
insert into alert_notifications (
  id, change_id, receiver, project_id, rule, alert, created_at, next_try_at)
select told.id,
  coalesce(
    (select id from change),
    (select max(id) from alert_changes where project_id = $1::integer and rule = $2::text)),
  told.receiver, $1::integer, $2::text, $10::text, $6::timestamptz, $6::timestamptz
from unnest($12::text[], $13::text[]) as told (id, receiver)
where ($11::text is not null
    or not exists (
      select from alert_notifications n
      where n.settled_at is null and n.project_id = $1::integer and n.rule = $2::text
        and n.receiver = told.receiver))
  and ($14::timestamptz is null
    or exists (
      select from alert_notifications n
      where n.project_id = $1::integer and n.rule = $2::text and n.receiver = told.receiver
        and n.created_at >= $14::timestamptz));
