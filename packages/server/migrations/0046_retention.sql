-- concurrently
-- Models and jobs expire by their age: see MODEL_RETENTION_DAYS and JOB_RETENTION_DAYS. The key makes the order unique, so that a step
-- continues after the last row of the one before. Heartbeats of jobs must not wait until the index is built.
CREATE INDEX models_by_age ON models (created_at, model_key);
CREATE INDEX jobs_by_age ON jobs (finished_at, job_key) WHERE job_status NOT IN ('PENDING', 'RUNNING');
