/* migrations.m0002: alerts */

-- How each rule stands in each project, as of the last look. An alert is a JSON text here, the one
-- that receivers are told and that the receipts command shows; nothing in the database looks into it.
create table alert_standings (
  project_id integer not null,
  rule text collate "C" not null,
  -- The rule as it was applied, for those who have no rules file at hand.
  definition text not null,
  state text not null,
  changed_at timestamptz not null,
  looked_at timestamptz not null,
  -- While it fires: when the change began.
  since timestamptz,
  -- Where the last alert ended: taps before do not count towards another one.
  ended_at timestamptz,
  -- While it fires: when the receivers were last told.
  told_at timestamptz,
  alert text not null,
  constraint alert_standings_pkey primary key (project_id, rule),
  constraint alert_standings_project_id_fkey foreign key (project_id) references projects (id),
  constraint alert_standings_state_check check (state in ('learning', 'ok', 'firing', 'no-data'))
);

-- Every change of a standing, for good. Late receipts change answers, never this.
create table alert_changes (
  id bigint generated always as identity,
  project_id integer not null,
  rule text collate "C" not null,
  changed_at timestamptz not null,
  before text not null,
  after text not null,
  alert text not null,
  constraint alert_changes_pkey primary key (id),
  constraint alert_changes_project_id_fkey foreign key (project_id) references projects (id)
);

create index alert_changes_changed_at_idx on alert_changes (changed_at);

-- What receivers are to be told: written with the change, settled when the receiver took it. The
-- receiver is a name in the rules file, so that no secret comes here.
create table alert_notifications (
  number bigint generated always as identity,
  -- The same at every try.
  id text collate "C" not null,
  change_id bigint not null,
  receiver text collate "C" not null,
  project_id integer not null,
  rule text collate "C" not null,
  alert text not null,
  created_at timestamptz not null,
  tries integer not null default 0,
  next_try_at timestamptz not null,
  -- How the last try ended, in words.
  result text,
  settled_at timestamptz,
  is_delivered boolean not null default false,
  constraint alert_notifications_pkey primary key (number),
  constraint alert_notifications_id_key unique (id),
  constraint alert_notifications_change_id_fkey foreign key (change_id)
    references alert_changes (id),
  constraint alert_notifications_delivered_check check (settled_at is not null or not is_delivered)
);

create index alert_notifications_waiting_idx on alert_notifications (number)
  where settled_at is null;
create index alert_notifications_change_id_idx on alert_notifications (change_id);
