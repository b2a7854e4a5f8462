-- Which models serve which project, and how a new deployment comes to be.

CREATE TABLE deployments (
  project_key integer PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  -- A model that is deployed cannot be deleted: these refuse it, also in a race.
  generator_model_key integer NOT NULL REFERENCES models,
  ranker_model_key integer REFERENCES models,
  qps integer NOT NULL CHECK (qps >= 1),
  deployed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX deployments_by_generator ON deployments (generator_model_key);
CREATE INDEX deployments_by_ranker ON deployments (ranker_model_key) WHERE ranker_model_key IS NOT NULL;

-- A deployment under way: serving processes load its models and say how that went, before anything is switched.
CREATE TABLE deployment_trials (
  job_key integer NOT NULL REFERENCES jobs ON DELETE CASCADE,
  attempt integer NOT NULL,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  generator_model_key integer NOT NULL REFERENCES models ON DELETE CASCADE,
  ranker_model_key integer REFERENCES models ON DELETE CASCADE,
  PRIMARY KEY (job_key, attempt)
);

CREATE TABLE servers (
  server_id text COLLATE "C" PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE trial_reports (
  job_key integer NOT NULL,
  attempt integer NOT NULL,
  server_id text COLLATE "C" NOT NULL,
  -- Null: all is well.
  problem text,
  PRIMARY KEY (job_key, attempt, server_id),
  FOREIGN KEY (job_key, attempt) REFERENCES deployment_trials ON DELETE CASCADE
);
