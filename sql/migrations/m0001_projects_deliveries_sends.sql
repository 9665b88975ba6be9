/* migrations.m0001: projects, keys, segments, deliveries and sends */

-- A project is one app. Nothing crosses projects.
create table projects (
  id integer generated always as identity,
  name text collate "C" not null,
  -- What tells two deliveries apart.
  dedupe text not null default 'event',
  -- Receipts and sends a second that each collector takes; null takes all.
  rate_limit integer,
  created_at timestamptz not null default now(),
  constraint projects_pkey primary key (id),
  constraint projects_name_key unique (name),
  constraint projects_name_check check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
  constraint projects_dedupe_check check (dedupe in ('event', 'event-device')),
  constraint projects_rate_limit_check check (rate_limit > 0)
);

-- A key is shown once and kept as its SHA-256.
create table keys (
  id text collate "C" not null,
  project_id integer not null,
  scope text not null,
  hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint keys_pkey primary key (id),
  -- The look-up of every request whose key the collector does not hold yet.
  constraint keys_hash_key unique (hash),
  constraint keys_project_id_fkey foreign key (project_id) references projects (id),
  constraint keys_scope_check check (scope in ('ingest', 'send')),
  constraint keys_hash_check check (length(hash) = 32)
);

-- One combination of the five fields. The id is a hash of them, made by the collector: no sequence
-- to run out, and the same id in every collector. No foreign keys point here: they would be looked up
-- for every receipt, and the writer stores a segment before any delivery that names it.
create table segments (
  project_id integer not null,
  id bigint not null,
  platform text collate "C",
  app_version text collate "C",
  os_version text collate "C",
  target_type text collate "C",
  campaign text collate "C",
  constraint segments_pkey primary key (project_id, id)
);

create type launch as enum ('cold', 'warm', 'foreground');
create type outcome as enum ('target', 'home', 'stayed', 'unavailable', 'cancelled');

-- Where a tap ended, as one report told it. Rows compare field by field, so least() of two landings
-- is the better one: first those with an outcome, then the surer and earlier time; the rest only
-- makes the order total. rank: 4 without an outcome, plus 0 sure, 1 implied, 2 arrival.
create type landing as (
  rank smallint,
  at timestamptz,
  launch launch,
  outcome outcome,
  tap_to_screen_ms double precision,
  reason text collate "C",
  target_id text collate "C",
  gates text collate "C",
  slowest_gate text collate "C",
  segment_id bigint
);

-- One row per event, or per event and device: what all receipts of it merge into.
-- Fixed widths stand first, eight bytes before four before two, so that no space goes to alignment.
create table deliveries (
  first_seen_at timestamptz not null,
  -- As the receipts themselves tell; a registered send stands in sends.
  sent_at timestamptz,
  received_at timestamptz,
  presented_at timestamptz,
  opened_at timestamptz,
  -- The time to which funnels count the delivery, unless a registered send moves it.
  cohort_at timestamptz not null
    generated always as (coalesce(sent_at, least(received_at, presented_at, opened_at))) stored,
  -- Where the segment came from (rank: 4 × stage + 0 sure, 1 implied, 2 arrival) and which it is.
  segment_at timestamptz,
  segment_id bigint,
  tap_segment_at timestamptz,
  tap_segment_id bigint,
  project_id integer not null,
  -- A stable hash of the event id over 64: what a cluster would distribute by.
  bucket smallint not null,
  -- Four bits a stage from received up: 1 extension, 2 foreground, 4 tap, 8 silent.
  paths smallint not null,
  -- The paths before the last merge: tells who was first, without a race.
  prior_paths smallint not null default 0,
  -- Clocks: 0 device, 1 corrected, 2 implied, 4 arrival; half of it is what beats what.
  received_clock smallint,
  presented_clock smallint,
  opened_clock smallint,
  segment_rank smallint,
  tap_segment_rank smallint,
  -- Whether receipts named several devices where the project does not count them.
  devices_differ boolean not null default false,
  event_id text collate "C" not null,
  -- Part of the identity where the project counts devices, else ''.
  device_key text collate "C" not null,
  -- An attribute where it does not.
  device_id text collate "C",
  landing landing,
  constraint deliveries_pkey primary key (bucket, project_id, event_id, device_key),
  constraint deliveries_paths_check check (paths > 0)
);

-- Reports of a window read only the pages of that time; rows lie nearly in its order. A few bytes for
-- a thousand rows, where a b-tree would cost as much as the primary key.
create index deliveries_cohort_at_idx on deliveries using brin (cohort_at)
  with (pages_per_range = 32, autosummarize = on);

-- Tap reports and alerts read by the time of the tap, and few deliveries are tapped.
create index deliveries_opened_at_idx on deliveries (project_id, opened_at)
  where opened_at is not null;

-- What the backend said it sent: to a device, or ('') to some number of recipients.
create table sends (
  sent_at timestamptz not null,
  recipients bigint not null,
  segment_id bigint,
  project_id integer not null,
  bucket smallint not null,
  -- Set by every telling after the first: tells who was first.
  told_before boolean not null default false,
  event_id text collate "C" not null,
  device_key text collate "C" not null,
  constraint sends_pkey primary key (bucket, project_id, event_id, device_key),
  constraint sends_recipients_check check (recipients >= 0)
);

-- The funnel's first step counts sends by their own time.
create index sends_sent_at_idx on sends using brin (sent_at)
  with (pages_per_range = 32, autosummarize = on);

-- What the collector hands to its merges: an array of these, since one array of rows costs PostgreSQL
-- far less than thirty arrays of columns, each of which becomes a table of its own.
create type delivery_merge as (
  bucket smallint,
  project_id integer,
  event_id text collate "C",
  device_key text collate "C",
  device_id text collate "C",
  paths smallint,
  first_seen_at timestamptz,
  sent_at timestamptz,
  received_clock smallint,
  received_at timestamptz,
  presented_clock smallint,
  presented_at timestamptz,
  opened_clock smallint,
  opened_at timestamptz,
  segment_rank smallint,
  segment_at timestamptz,
  segment_id bigint,
  tap_segment_rank smallint,
  tap_segment_at timestamptz,
  tap_segment_id bigint,
  landing landing,
  devices_differ boolean
);

create type send_merge as (
  bucket smallint,
  project_id integer,
  event_id text collate "C",
  device_key text collate "C",
  sent_at timestamptz,
  recipients bigint,
  segment_id bigint
);

-- Deliveries with the send time that counts: their own, else that of a send to the device, else that
-- of a send to the event. Three branches, so that a window on cohort_at reaches an index in each.
create view sent_deliveries as
select d.bucket, d.project_id, d.event_id, d.device_key, d.device_id, d.devices_differ,
  d.cohort_at, d.sent_at, d.first_seen_at, d.received_at, d.received_clock, d.presented_at,
  d.presented_clock, d.opened_at, d.opened_clock, d.paths, d.segment_id, d.landing
from deliveries d
where not exists (
  select from sends s
  where d.sent_at is null
    and (s.bucket, s.project_id, s.event_id) = (d.bucket, d.project_id, d.event_id)
    and s.device_key in (d.device_key, ''))
union all
select d.bucket, d.project_id, d.event_id, d.device_key, d.device_id, d.devices_differ,
  s.sent_at, s.sent_at, d.first_seen_at, d.received_at, d.received_clock, d.presented_at,
  d.presented_clock, d.opened_at, d.opened_clock, d.paths, d.segment_id, d.landing
from sends s
join deliveries d using (bucket, project_id, event_id, device_key)
where d.sent_at is null
union all
select d.bucket, d.project_id, d.event_id, d.device_key, d.device_id, d.devices_differ,
  s.sent_at, s.sent_at, d.first_seen_at, d.received_at, d.received_clock, d.presented_at,
  d.presented_clock, d.opened_at, d.opened_clock, d.paths, d.segment_id, d.landing
from sends s
join deliveries d using (bucket, project_id, event_id)
where d.sent_at is null and s.device_key = '' and d.device_key <> ''
  and not exists (
    select from sends own
    where (own.bucket, own.project_id, own.event_id, own.device_key)
      = (d.bucket, d.project_id, d.event_id, d.device_key));

-- The same with latencies in milliseconds, in range or not. An uncertain time (implied, arrival) at
-- either end gives none.
create view cohorts as
select s.*,
  case when received_clock < 2
    then date_part('epoch', received_at - sent_at) * 1000 end as delivery_ms,
  case when received_clock < 2 and presented_clock < 2
    then date_part('epoch', presented_at - received_at) * 1000 end as presentation_ms,
  case when coalesce(presented_clock, received_clock) < 2 and opened_clock < 2
    then date_part('epoch', opened_at - coalesce(presented_at, received_at)) * 1000
    end as reaction_ms
from sent_deliveries s;

-- Opened deliveries as tap reports count them: by the time and the segment of the tap.
create view taps as
select d.project_id, d.event_id, d.device_key, d.opened_at,
  (d.landing).launch, (d.landing).outcome, (d.landing).tap_to_screen_ms, (d.landing).reason,
  (d.landing).slowest_gate, coalesce((d.landing).segment_id, d.tap_segment_id) as segment_id
from deliveries d
where d.opened_at is not null;
