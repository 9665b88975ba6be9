/* alerts.lead */
-- Whether this session is the one that watches. The lock goes with the session.
select pg_try_advisory_lock($1::bigint);
