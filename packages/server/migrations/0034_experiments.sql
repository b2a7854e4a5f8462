-- Experiments: calls of a scenario are assigned to variants by a hash of the user. A version without them runs beside this one: its
-- serving processes answer all calls with what is deployed.

CREATE TABLE experiments (
  experiment_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  experiment_id text COLLATE "C" NOT NULL UNIQUE,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  -- Also for calls without a scenario, as in the decision log.
  scenario text COLLATE "C" NOT NULL,
  -- While it runs, so that the scenario is not deleted.
  scenario_key integer REFERENCES scenarios,
  metric text COLLATE "C" NOT NULL,
  window_hours double precision NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  stopped_at timestamptz,
  promoted text,
  -- The sums that intervals are computed from, by day and variant, and when a worker has written them.
  figures jsonb,
  measured_at timestamptz,
  verdict text COLLATE "C" NOT NULL DEFAULT 'UNDECIDED',
  winner text,
  decided_at timestamptz
);

CREATE INDEX experiments_by_project ON experiments (project_key, experiment_key DESC);
CREATE INDEX experiments_by_scenario ON experiments (scenario_key) WHERE scenario_key IS NOT NULL;
CREATE UNIQUE INDEX experiments_running ON experiments (project_key, scenario) WHERE stopped_at IS NULL;

CREATE TABLE experiment_variants (
  experiment_key integer NOT NULL REFERENCES experiments ON DELETE CASCADE,
  -- The first one is the control.
  position smallint NOT NULL,
  name text NOT NULL,
  share double precision NOT NULL,
  -- While it runs, so that the models are not deleted.
  model_key integer REFERENCES models,
  ranker_model_key integer REFERENCES models,
  model_id text COLLATE "C",
  ranker_model_id text COLLATE "C",
  scenario_version integer,
  -- A copy of the version's settings: old versions are removed.
  settings json,
  PRIMARY KEY (experiment_key, position)
);

CREATE INDEX experiment_variants_by_model ON experiment_variants (model_key) WHERE model_key IS NOT NULL;
CREATE INDEX experiment_variants_by_ranker ON experiment_variants (ranker_model_key) WHERE ranker_model_key IS NOT NULL;
