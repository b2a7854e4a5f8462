-- Jobs can be deleted, results expire, and the object store is swept for objects that no row refers to.

-- A model outlives the job that trained it.
ALTER TABLE models ALTER COLUMN job_key DROP NOT NULL;
ALTER TABLE models DROP CONSTRAINT models_job_key_fkey;
ALTER TABLE models ADD CONSTRAINT models_job_key_fkey FOREIGN KEY (job_key) REFERENCES jobs ON DELETE SET NULL;

-- The highest cluster ID of jobs that were deleted: IDs are never given out twice in a project.
ALTER TABLE projects ADD COLUMN last_cluster_id integer NOT NULL DEFAULT 0;

-- Jobs whose result still has files, for the task that expires them.
CREATE INDEX jobs_with_files ON jobs (finished_at)
  WHERE job_status = 'SUCCEED' AND (job_result -> 'files' -> 0) IS NOT NULL;

-- For the sweep: which model an object belongs to.
CREATE INDEX models_by_object ON models (object_key);
CREATE INDEX models_by_snapshot ON models (snapshot_key);

-- A worker removes the object outside of a transaction. Until this time no other worker tries the same one.
ALTER TABLE loose_objects ADD COLUMN claimed_until timestamptz;

-- Tasks of the whole cell that one worker runs at a time, in steps.
CREATE TABLE periodic_tasks (
  task text COLLATE "C" PRIMARY KEY,
  -- No worker runs its next step before this.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- How far the round in progress is; null: the next step begins a round.
  position text COLLATE "C"
);
INSERT INTO periodic_tasks (task) VALUES ('sweep_objects');

-- Secrets that all processes share and nobody outside sees: for page tokens and download addresses.
CREATE TABLE secrets (
  name text COLLATE "C" PRIMARY KEY,
  secret bytea NOT NULL
);
