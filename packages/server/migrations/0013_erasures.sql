-- Users can be erased from an account, and whole accounts deleted.

CREATE TABLE erasures (
  erasure_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  -- Null once the erasure is done: a receipt does not keep whom it was about.
  user_id text COLLATE "C",
  stage text COLLATE "C" NOT NULL DEFAULT 'RECORDS'
    CHECK (stage IN ('RECORDS', 'SNAPSHOTS', 'RESULTS', 'FILES', 'DONE')),
  -- The last dataset, model or job that the stage has dealt with, by its key.
  position integer NOT NULL DEFAULT 0,
  -- Counts how often the erasure was asked for. Each asking starts over, and steps of an earlier one change nothing.
  round integer NOT NULL DEFAULT 0,
  -- What was removed: from "KIND place" to how many.
  removed jsonb NOT NULL DEFAULT '{}',
  -- Files that were orphaned and may still be in the object store.
  object_keys text[] COLLATE "C" NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  records_deleted_at timestamptz,
  snapshots_removed_at timestamptz,
  finished_at timestamptz,
  -- No worker takes its next step before this.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((stage = 'DONE') = (user_id IS NULL))
);
CREATE UNIQUE INDEX erasures_running ON erasures (account_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX erasures_due ON erasures (due_at) WHERE user_id IS NOT NULL;
CREATE INDEX erasures_by_account ON erasures (account_id);

-- Also the receipt, and so without a reference to the account, which is gone in the end.
CREATE TABLE account_deletions (
  account_id text COLLATE "C" PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  removed jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX account_deletions_running ON account_deletions (account_id) WHERE finished_at IS NULL;

-- Walks over all that an account has.
CREATE INDEX datasets_of_account ON datasets (account_id, dataset_key);
CREATE INDEX jobs_by_account ON jobs (account_id, job_key);
