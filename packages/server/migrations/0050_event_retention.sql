-- How many days the events of a dataset are kept. Workers delete older ones in short steps: each takes the dataset that has been due
-- longest, and makes it due again behind the others while more is left, in an hour otherwise.
ALTER TABLE datasets ADD COLUMN retention_days integer CHECK (retention_days BETWEEN 1 AND 36500);
ALTER TABLE datasets ADD COLUMN retention_due_at timestamptz;
-- The time that the steps of a round have reached; null before its first step. Starting over would read all deleted index entries again.
ALTER TABLE datasets ADD COLUMN retention_from_ts bigint;

CREATE INDEX datasets_retention_due ON datasets (retention_due_at) WHERE deleted_at IS NULL AND retention_due_at IS NOT NULL;
