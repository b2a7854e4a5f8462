-- Parts of a training's fit that other workers may compute: one row per block that the training offers. Rows belong to a
-- running attempt, and workers delete those of others. So there is no reference to the job: a row may outlive it for a moment.
CREATE TABLE training_blocks (
  job_key integer NOT NULL,
  attempt integer NOT NULL,
  -- Counts what the attempt has shared: the co-occurrence, a regression.
  stage integer NOT NULL,
  block integer NOT NULL,
  -- The worker that runs the training.
  owner text COLLATE "C" NOT NULL,
  -- Only a worker with the same version computes the block: the result must be the same to the byte.
  version text COLLATE "C" NOT NULL,
  -- How much memory it takes, and each thread in addition.
  memory_bytes bigint NOT NULL,
  thread_bytes bigint NOT NULL,
  -- What to compute, and the objects that it reads.
  task jsonb NOT NULL,
  -- The fencing token of a block. A claim lasts as long as its worker is seen.
  claim integer NOT NULL DEFAULT 0,
  claimed_by text COLLATE "C",
  claimed_at timestamptz,
  -- The object with the result: object_key, size, sha256.
  output jsonb,
  PRIMARY KEY (job_key, attempt, stage, block)
);
