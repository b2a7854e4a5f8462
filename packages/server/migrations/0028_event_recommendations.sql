-- Events may name the answer that they follow. Nullable and without a default: adding it rewrites no row.
ALTER TABLE events ADD COLUMN recommendation_id text COLLATE "C";

-- The UTC days whose events changed, as bits by day number modulo 64, until a worker has noted them. In the row that each
-- write updates anyway.
ALTER TABLE dataset_counts ADD COLUMN changed_days bigint NOT NULL DEFAULT 0;
