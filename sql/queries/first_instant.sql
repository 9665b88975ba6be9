/* reports.first_instant */
-- Of a midnight that comes twice PostgreSQL takes the later one, so look whether it was that date
-- before already.
select min(instant)
from (
  select $1::text::date::timestamptz - quarters * interval '15 minutes' as instant
  from generate_series(0, 12) as quarters
) as candidates
where instant::date = $1::text::date;
