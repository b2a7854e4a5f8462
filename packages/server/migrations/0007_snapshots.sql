-- breaking
-- (An older version would delete a model and leave its snapshot behind for ever.)
-- What a training read, beside the model that it ended in: what queries and clusterings of the model answer for.

-- Null for models that were trained before.
ALTER TABLE models
  ADD COLUMN snapshot_key text COLLATE "C",
  ADD COLUMN snapshot_size bigint,
  ADD COLUMN snapshot_sha256 text COLLATE "C",
  -- The names of item attributes that the snapshot has values of.
  ADD COLUMN attributes jsonb,
  ADD CONSTRAINT models_snapshot CHECK (num_nulls(snapshot_key, snapshot_size, snapshot_sha256, attributes) IN (0, 4));
