-- Serving processes try the models of a rollback too, which has no job: its trial has the job key 0, a number of its own, and ends by itself.
-- Serving processes of earlier versions do not see these trials. Upgrade them before the api, as always.

ALTER TABLE deployment_trials DROP CONSTRAINT deployment_trials_job_key_fkey;
-- Null for the trial of a job, which ends with its attempt.
ALTER TABLE deployment_trials ADD ends_at timestamptz;

CREATE SEQUENCE rollback_trials AS integer CYCLE;
