-- Outcomes of recommendation calls: which events followed which answers.

-- The time within which an event counts as the result of an answer that it does not name.
ALTER TABLE projects ADD COLUMN attribution_hours integer NOT NULL DEFAULT 24
  CHECK (attribution_hours BETWEEN 1 AND 168);

-- One row per project that has answers in the decision log.
CREATE TABLE outcome_states (
  project_key integer PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  -- No worker attributes events of the project before this.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The days whose events changed, as bits by day number modulo 64 (see dataset_counts). At first, all of them.
  changed_days bigint NOT NULL DEFAULT -1,
  -- Those that a worker has taken and not finished.
  taken_days bigint NOT NULL DEFAULT 0,
  -- Counts the runs: only the newest may write outcomes.
  run integer NOT NULL DEFAULT 0,
  -- The attribution_hours of the last run.
  attribution_hours integer,
  attributed_at timestamptz
);
CREATE INDEX outcome_states_by_due ON outcome_states (due_at);

-- The answers that the events of a day were attributed to: a file with one row per answer.
CREATE TABLE attribution_files (
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- Days since 1970, UTC, as in decision_files.
  event_day integer NOT NULL,
  -- The days of these answers.
  answer_days integer[] NOT NULL,
  object_key text COLLATE "C" NOT NULL UNIQUE,
  size bigint NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_key, event_day)
);

CREATE INDEX attribution_files_by_age ON attribution_files (event_day);

-- What is known of a day: the number of answers that its outcomes are of, and the events without a recommendation. Arrays
-- have one element per group of users (by a hash of the user's ID), from which intervals are estimated.
CREATE TABLE outcome_days (
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  day integer NOT NULL,
  answers integer NOT NULL DEFAULT 0,
  visits double precision[] NOT NULL DEFAULT '{}',
  converted double precision[] NOT NULL DEFAULT '{}',
  target_events double precision[] NOT NULL DEFAULT '{}',
  value double precision[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (project_key, day)
);

CREATE TABLE outcomes (
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  day integer NOT NULL,
  scenario text COLLATE "C" NOT NULL,
  model_id text COLLATE "C" NOT NULL,
  -- Empty if the answers were not part of an experiment.
  variant text COLLATE "C" NOT NULL,
  answers double precision[] NOT NULL,
  clicked double precision[] NOT NULL,
  converted double precision[] NOT NULL,
  target_events double precision[] NOT NULL,
  value double precision[] NOT NULL,
  PRIMARY KEY (project_key, day, scenario, model_id, variant)
);
