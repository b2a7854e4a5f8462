-- Datasets and their records. ARCHITECTURE.md, "Records in PostgreSQL", says why they are laid out so.

CREATE TABLE datasets (
  -- Four bytes in every record and index entry, instead of the thirty of dataset_id.
  dataset_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id text COLLATE "C" NOT NULL UNIQUE,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('user', 'item', 'event')),
  name text NOT NULL,
  num_shards integer NOT NULL CHECK (num_shards BETWEEN 1 AND 10000),
  attribute_schema jsonb,
  -- Number of the partition that holds the dataset's records; statements name that table directly.
  partition smallint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set by the delete call: from then on nobody sees the dataset, and its records are purged in the background.
  deleted_at timestamptz
);

CREATE INDEX datasets_by_account ON datasets (account_id, kind, dataset_key DESC) WHERE deleted_at IS NULL;
CREATE INDEX datasets_to_purge ON datasets (dataset_key) WHERE deleted_at IS NOT NULL;

-- A dataset's record_count is the sum of its slots. Writers pick a slot each, so that they do not queue for one
-- row until the other's commit is on disk. A slot alone may be negative: a delete need not hit the slot of the insert.
CREATE TABLE dataset_counts (
  dataset_key integer NOT NULL REFERENCES datasets ON DELETE CASCADE,
  slot smallint NOT NULL,
  record_count bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (dataset_key, slot)
) WITH (fillfactor = 50);

CREATE TABLE events (
  dataset_key integer NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  event_value double precision NOT NULL,
  -- Null: {}.
  attributes jsonb,
  PRIMARY KEY (dataset_key, event_id)
) PARTITION BY HASH (dataset_key);

CREATE INDEX events_by_user ON events (dataset_key, user_id, ts DESC, item_id, event_type) INCLUDE (event_value);
CREATE INDEX events_by_ts ON events (dataset_key, ts);

CREATE TABLE users (
  dataset_key integer NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  attributes jsonb NOT NULL,
  PRIMARY KEY (dataset_key, user_id)
) PARTITION BY HASH (dataset_key);

CREATE TABLE items (
  dataset_key integer NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  attributes jsonb NOT NULL,
  PRIMARY KEY (dataset_key, item_id)
) PARTITION BY HASH (dataset_key);

-- Vacuum early: pages must be marked all-visible soon after they are filled for the reads by events_by_user to
-- stay in the index, and the default (after 20 % of a table of 150 million rows) is far too late.
DO $$
DECLARE
  parent text;
  partitions integer;
BEGIN
  FOR parent, partitions IN VALUES ('events', 64), ('users', 16), ('items', 16) LOOP
    FOR remainder IN 0 .. partitions - 1 LOOP
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s) WITH (
           autovacuum_vacuum_scale_factor = 0.02,
           autovacuum_vacuum_insert_scale_factor = 0.05,
           autovacuum_analyze_scale_factor = 0.05)',
        parent || '_p' || lpad(remainder::text, 2, '0'), parent, partitions, remainder);
    END LOOP;
  END LOOP;
END $$;
