-- concurrently
-- Every upsert reads its dataset, so they must not wait until the index is built.
CREATE INDEX datasets_retention_due ON datasets (retention_due_at) WHERE deleted_at IS NULL AND retention_due_at IS NOT NULL;
