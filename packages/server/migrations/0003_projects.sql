-- Projects, and the algorithms configured in them.

CREATE TABLE projects (
  project_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL UNIQUE,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  name text NOT NULL,
  project_type text NOT NULL,
  -- The references keep a dataset from being purged under a project; the delete call refuses long before.
  user_dataset_key integer NOT NULL REFERENCES datasets,
  item_dataset_key integer NOT NULL REFERENCES datasets,
  event_dataset_key integer NOT NULL REFERENCES datasets,
  target_event_type text COLLATE "C" NOT NULL,
  -- Fixed at creation: clients have it written down, whatever becomes of our address.
  serving_uri text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX projects_by_account ON projects (account_id, project_key DESC);
CREATE INDEX projects_by_user_dataset ON projects (user_dataset_key);
CREATE INDEX projects_by_item_dataset ON projects (item_dataset_key);
CREATE INDEX projects_by_event_dataset ON projects (event_dataset_key);

CREATE TABLE algorithms (
  algorithm_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  algorithm_id text COLLATE "C" NOT NULL UNIQUE,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  algorithm_type text NOT NULL,
  algorithm_parameters jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX algorithms_by_project ON algorithms (project_key, algorithm_key DESC);
