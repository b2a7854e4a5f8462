-- Named settings of recommendation calls, with their last versions. A version without scenarios runs beside this one: it
-- neither reads nor writes these tables, and deleting a project deletes its scenarios whoever does it.

CREATE TABLE scenarios (
  scenario_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  question text COLLATE "C" NOT NULL,
  -- The current version.
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_key, name)
);

CREATE INDEX scenarios_by_project ON scenarios (project_key, scenario_key DESC);

CREATE TABLE scenario_versions (
  scenario_key integer NOT NULL REFERENCES scenarios ON DELETE CASCADE,
  version integer NOT NULL,
  -- The fields of the call. Not jsonb: a condition may contain any character, also U+0000.
  settings json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scenario_key, version)
);
