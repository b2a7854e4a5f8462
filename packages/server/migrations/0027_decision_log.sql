-- The decision log: the answers of recommendation calls, as Parquet files in the object store. Serving processes write
-- batches of all accounts, without a row; workers sort them into files by project and day, which have one row each.

CREATE TABLE decision_files (
  file_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_key integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- The UTC day of its answers, in days since 1970.
  day integer NOT NULL,
  -- The first and last recommendation_id in the file, which is sorted by it.
  first_id text COLLATE "C" NOT NULL,
  last_id text COLLATE "C" NOT NULL,
  answers integer NOT NULL,
  object_key text COLLATE "C" NOT NULL UNIQUE,
  size bigint NOT NULL,
  sha256 text COLLATE "C" NOT NULL
);
CREATE INDEX decision_files_by_day ON decision_files (project_key, day, last_id);
CREATE INDEX decision_files_by_age ON decision_files (day);

-- Batches whose answers are in decision_files, until the objects are gone for sure: no batch is sorted twice.
CREATE TABLE sorted_batches (
  object_key text COLLATE "C" PRIMARY KEY,
  sorted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX sorted_batches_by_age ON sorted_batches (sorted_at);

INSERT INTO periodic_tasks (task) VALUES ('sort_decisions');

ALTER TABLE erasures DROP CONSTRAINT erasures_stage_check;
ALTER TABLE erasures ADD CONSTRAINT erasures_stage_check
  CHECK (stage IN ('RECORDS', 'SNAPSHOTS', 'RESULTS', 'DECISIONS', 'FILES', 'DONE'));
