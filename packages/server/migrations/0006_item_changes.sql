-- breaking
-- (An older version would write items without a word of it here.)
-- Which items were written or deleted lately, for serving processes that keep a dataset's items in memory.

-- A row a statement that wrote, not a row an item: the table of items, and what an upsert does to it, stay as they are.
-- Only the ids: whoever asks wants the items as they are now. Rows go after an hour, or with their dataset.
CREATE TABLE item_changes (
  dataset_key integer NOT NULL,
  -- Transactions are seen in another order than they began: see readItemChanges for how nothing is missed.
  changed_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  item_ids text[] COLLATE "C" NOT NULL
);

CREATE INDEX item_changes_by_dataset ON item_changes (dataset_key, changed_by);
CREATE INDEX item_changes_by_time ON item_changes (changed_at);
