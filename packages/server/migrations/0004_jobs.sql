-- Jobs, and the models that trainings end in. pg-boss delivers jobs to workers; what a job is and how it stands is here.

-- Seconds of trainings that succeeded, which a plan may cap.
ALTER TABLE accounts ADD COLUMN training_seconds double precision NOT NULL DEFAULT 0;

CREATE TABLE jobs (
  job_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text COLLATE "C" NOT NULL UNIQUE,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  job_type text COLLATE "C" NOT NULL CHECK (job_type IN ('TRAINING', 'DEPLOYMENT', 'QUERYING', 'CLUSTERING')),
  name text NOT NULL,
  job_data jsonb NOT NULL,
  job_status text COLLATE "C" NOT NULL DEFAULT 'PENDING'
    CHECK (job_status IN ('PENDING', 'RUNNING', 'SUCCEED', 'FAILED', 'CANCELED')),
  -- The round in which it is delivered; see jobs/submit-job.ts.
  turn integer NOT NULL,
  -- Counts the times a worker took it. Whoever holds an older number can no longer write.
  attempt integer NOT NULL DEFAULT 0,
  retry_count smallint NOT NULL DEFAULT 0,
  job_result jsonb,
  error jsonb,
  progress jsonb,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Before this a retry does not begin.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of the attempt under way, or the last one.
  started_at timestamptz,
  heartbeat_at timestamptz,
  finished_at timestamptz
) WITH (fillfactor = 70);

CREATE INDEX jobs_by_project ON jobs (project_key, job_key DESC);
CREATE INDEX jobs_by_type ON jobs (project_key, job_type, job_key DESC);
CREATE INDEX jobs_by_status ON jobs (project_key, job_status, job_key DESC);
-- Live jobs only: what a submission, a claim and a supervisor look at stays small however long the history is.
CREATE INDEX jobs_live_by_account ON jobs (account_id, job_type, turn) WHERE job_status IN ('PENDING', 'RUNNING');
CREATE INDEX jobs_pending_by_turn ON jobs (job_type, turn) WHERE job_status = 'PENDING';
CREATE INDEX jobs_running ON jobs (job_key) WHERE job_status = 'RUNNING';

CREATE TABLE models (
  model_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model_id text COLLATE "C" NOT NULL UNIQUE,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- One job, one model.
  job_key integer NOT NULL UNIQUE REFERENCES jobs,
  name text NOT NULL,
  algorithm_type text NOT NULL,
  algorithm_parameters jsonb NOT NULL,
  -- What was chosen, measured and left out.
  training jsonb NOT NULL,
  object_key text COLLATE "C" NOT NULL,
  object_size bigint NOT NULL,
  object_sha256 text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX models_by_project ON models (project_key, model_key DESC);

-- Objects that nothing refers to, or nothing yet: an attempt writes its key here before it writes the object, and takes
-- it out in the transaction that publishes it. A worker removes the others.
CREATE TABLE loose_objects (
  object_key text COLLATE "C" PRIMARY KEY,
  -- The attempt that may still be writing it; null: nobody.
  job_key integer,
  attempt integer
);

-- Processes that take jobs, so that a job that waits can say whether anybody is there to take it.
CREATE TABLE workers (
  worker_id text COLLATE "C" PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
