/* reports.known_zone */
select exists (select from pg_timezone_names where lower(name) = lower($1::text));
