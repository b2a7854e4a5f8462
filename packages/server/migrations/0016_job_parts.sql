-- A job that writes its result in parts saves each complete part here, so that its next attempt continues after the last one.
-- A part belongs to its live job. When the job succeeds, its result refers to the object; when it ends otherwise, a worker
-- removes the object. So there is no reference to the job: a part may outlive it for a moment.
CREATE TABLE job_parts (
  job_key integer NOT NULL,
  part integer NOT NULL,
  object_key text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  users integer NOT NULL,
  -- Parts are in order of user IDs. Empty if the part has no users.
  last_user_id text COLLATE "C" NOT NULL,
  -- When the attempt that wrote the part started: the part may contain what was erased after that.
  started_at timestamptz NOT NULL,
  PRIMARY KEY (job_key, part)
);
