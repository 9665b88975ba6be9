/* alerts.forget_notifications */
delete from alert_notifications where settled_at < $1::timestamptz;
