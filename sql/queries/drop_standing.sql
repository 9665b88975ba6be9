/* alerts.drop_standing */
-- The rule is no longer there, or no longer for this project.
delete from alert_standings where project_id = $1::integer and rule = $2::text;
