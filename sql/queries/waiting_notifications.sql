/* alerts.waiting_notifications */
-- What may be tried now, one for each receiver. Of an alert only the oldest that waits, so that nobody
-- hears of the end before the start.
select distinct on (n.receiver) n.id, n.receiver, n.alert, n.created_at, n.tries
from (
  select distinct on (project_id, rule, receiver) *
  from alert_notifications
  where settled_at is null
  order by project_id, rule, receiver, number
) n
where n.next_try_at <= $1::timestamptz
order by n.receiver, n.next_try_at, n.number;
