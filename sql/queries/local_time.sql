/* reports.local_time */
select to_char($1::timestamptz, 'YYYY-MM-DD HH24:MI');
