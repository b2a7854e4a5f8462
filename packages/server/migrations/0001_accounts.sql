-- Accounts, their plans and keys, and the keys that tokens are signed with.

CREATE TABLE plans (
  plan text PRIMARY KEY,
  max_event_shards integer NOT NULL CHECK (max_event_shards >= 0),
  -- Null: no cap.
  max_training_hours double precision CHECK (max_training_hours >= 0),
  max_qps integer CHECK (max_qps >= 1)
);

INSERT INTO plans (plan, max_event_shards) VALUES ('default', 10000);

CREATE TABLE accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  plan text NOT NULL REFERENCES plans,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  api_key text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  secret_salt bytea NOT NULL,
  secret_hash bytea NOT NULL,
  -- Paths of the operations the key may ask tokens for; null: all.
  operations text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);

CREATE INDEX api_keys_by_account ON api_keys (account_id);

CREATE TABLE signing_keys (
  kid text COLLATE "C" PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_jwk jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
