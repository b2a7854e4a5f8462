-- Webhooks, and the messages that wait for them. A version without them runs beside this one: it writes no messages, and deleting
-- an account removes its rows whoever does it.

CREATE TABLE webhooks (
  webhook_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id text COLLATE "C" NOT NULL UNIQUE,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL,
  events text[] COLLATE "C" NOT NULL,
  secret bytea NOT NULL,
  -- Still signs until then, so that a receiver can change its secret at any time.
  previous_secret bytea,
  previous_until timestamptz,
  enabled boolean NOT NULL DEFAULT true,
  -- Set if the service has disabled it.
  disabled_reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_delivered_at timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  last_failure jsonb
);

CREATE INDEX webhooks_by_account ON webhooks (account_id, webhook_key DESC);

-- The outbox: a row is written in the transaction of what it is about, and deleted once its receiver has confirmed it.
CREATE TABLE webhook_messages (
  message_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  webhook_key integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  -- A worker that sends it moves this into the future, so that another one takes over if the worker dies.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX webhook_messages_due ON webhook_messages (account_id, due_at);
CREATE INDEX webhook_messages_by_webhook ON webhook_messages (webhook_key);

-- What an account was told and need not be told again: that a dataset is nearly full, that a quota is nearly used up.
CREATE TABLE notices (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  notice text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, notice)
);

INSERT INTO periodic_tasks (task) VALUES ('notice_limits');
