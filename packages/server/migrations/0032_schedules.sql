-- Jobs at certain times. A version without schedules runs beside this one: its workers start no runs.

CREATE TABLE schedules (
  schedule_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule_id text COLLATE "C" NOT NULL UNIQUE,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  cron text NOT NULL,
  time_zone text NOT NULL,
  what jsonb NOT NULL,
  when_running text COLLATE "C" NOT NULL CHECK (when_running IN ('SKIP', 'QUEUE')),
  paused boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The transaction that submits the job of a run also moves this to the next one, so there is one job per run.
  next_at timestamptz NOT NULL,
  last_scheduled_at timestamptz,
  last_run_at timestamptz,
  last_job_key integer REFERENCES jobs ON DELETE SET NULL,
  -- A training whose model is to be deployed.
  follow_job_key integer REFERENCES jobs ON DELETE SET NULL,
  missed_runs integer NOT NULL DEFAULT 0,
  last_missed jsonb
);

CREATE INDEX schedules_by_project ON schedules (project_key, schedule_key DESC);
CREATE INDEX schedules_due ON schedules (next_at) WHERE NOT paused;
CREATE INDEX schedules_following ON schedules (follow_job_key) WHERE follow_job_key IS NOT NULL;
CREATE INDEX schedules_by_last_job ON schedules (last_job_key) WHERE last_job_key IS NOT NULL;
