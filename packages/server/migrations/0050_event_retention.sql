-- How many days the events of a dataset are kept. Workers delete older ones in short steps: each takes the dataset that has been due
-- longest, and makes it due again behind the others while more is left, in an hour otherwise.
ALTER TABLE datasets ADD COLUMN retention_days integer;
ALTER TABLE datasets ADD COLUMN retention_due_at timestamptz;
-- The time that the steps of a round have reached; null before its first step. Starting over would read all deleted index entries again.
ALTER TABLE datasets ADD COLUMN retention_from_ts bigint;
