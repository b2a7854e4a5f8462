-- People who sign in to the console, their roles in accounts, and their sessions. A version without them runs beside this one: it
-- neither reads nor writes these tables, and deleting an account removes its rows whoever does it.

CREATE TABLE people (
  person_id text COLLATE "C" PRIMARY KEY,
  -- In lower case.
  email text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  -- Argon2id with its parameters, as a PHC string. Null: the person cannot sign in with a password.
  password_hash text,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  role text COLLATE "C" NOT NULL CHECK (role IN ('VIEWER', 'EDITOR', 'OPERATOR', 'OWNER')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, person_id)
);

CREATE INDEX memberships_by_person ON memberships (person_id);

-- How an OIDC provider knows a person.
CREATE TABLE identities (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_by_person ON identities (person_id);

CREATE TABLE console_sessions (
  -- SHA-256 of the token, which only the browser has.
  token_hash bytea PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  started_by text COLLATE "C" NOT NULL CHECK (started_by IN ('PASSWORD', 'LINK', 'OIDC')),
  created_at timestamptz NOT NULL,
  -- Written at most once per minute.
  last_used_at timestamptz NOT NULL
);

CREATE INDEX console_sessions_by_person ON console_sessions (person_id, created_at DESC);
CREATE INDEX console_sessions_by_use ON console_sessions (last_used_at);

-- One-time links to sign in. A person has at most one.
CREATE TABLE sign_in_links (
  person_id text COLLATE "C" PRIMARY KEY REFERENCES people ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);
