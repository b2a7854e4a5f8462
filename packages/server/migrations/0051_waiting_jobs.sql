-- concurrently
-- For the metrics of waiting jobs: the oldest one of a type, and a limited count.
CREATE INDEX jobs_pending_by_due ON jobs (job_type, due_at) WHERE job_status = 'PENDING';
