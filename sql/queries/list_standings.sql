/* alerts.list_standings */
select p.id, p.name, s.rule, s.definition, s.state, s.changed_at, s.looked_at, s.since, s.ended_at,
  s.told_at, s.alert
from alert_standings s
join projects p on p.id = s.project_id
order by p.name, s.rule;
