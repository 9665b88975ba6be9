/* reports.use_zone */
select set_config('TimeZone', $1::text, false);
