-- Who changed what. A version without it runs beside this one: its changes are not recorded, and deleting an account removes the
-- account's events whoever does it.

CREATE TABLE audit_events (
  event_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The ID of a person, with the email at that time, or an API key.
  actor text COLLATE "C" NOT NULL,
  actor_email text COLLATE "C",
  operation text COLLATE "C" NOT NULL,
  object_id text COLLATE "C",
  result text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  calls integer NOT NULL DEFAULT 1,
  -- Set for writes of records: one row counts the calls of an hour.
  hour timestamptz
);

CREATE INDEX audit_events_by_account ON audit_events (account_id, event_key DESC);
CREATE INDEX audit_events_by_time ON audit_events (created_at);
CREATE UNIQUE INDEX audit_events_of_hour ON audit_events (account_id, actor, operation, object_id, result, hour)
  WHERE hour IS NOT NULL;
