/* alerts.list_changes */
-- Changes from $2 to $3, of one project or of all ($1 null), of one rule or of all ($4 null), with what
-- became of their notifications. A receiver's name holds neither commas nor colons.
select c.changed_at, p.name, c.rule, c.before, c.after, c.alert,
  (select string_agg(
      n.receiver || ':' || case when n.is_delivered then 'sent'
        when n.settled_at is not null then 'given up' else 'waiting' end, ',' order by n.number)
    from alert_notifications n
    where n.change_id = c.id) as told
from alert_changes c
join projects p on p.id = c.project_id
where ($1::integer is null or c.project_id = $1) and ($4::text is null or c.rule = $4)
  and c.changed_at >= $2::timestamptz and c.changed_at < $3::timestamptz
order by c.id desc
limit $5::bigint;
