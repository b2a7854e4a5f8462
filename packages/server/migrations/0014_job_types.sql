-- The contract lists the job types, and each has a queue, without which a job cannot be submitted.
ALTER TABLE jobs DROP CONSTRAINT jobs_job_type_check;
