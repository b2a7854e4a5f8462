-- breaking: an older version reads memberships to say who may do what.
-- A person belongs to one account. Whoever is in two accounts is two people with credentials of their own, so what opens one account never
-- opens another.

ALTER TABLE people DROP CONSTRAINT people_email_key,
  ADD COLUMN account_id text COLLATE "C" REFERENCES accounts ON DELETE CASCADE,
  ADD COLUMN role text COLLATE "C" CHECK (role IN ('VIEWER', 'EDITOR', 'OPERATOR', 'OWNER'));

-- The person stays in the account that they were in first. In every other one, they need a new link.
UPDATE people p SET account_id = m.account_id, role = m.role, created_at = m.created_at
  FROM (SELECT DISTINCT ON (person_id) * FROM memberships ORDER BY person_id, created_at, account_id) m
  WHERE m.person_id = p.person_id;
DELETE FROM people WHERE account_id IS NULL;
INSERT INTO people (person_id, account_id, email, name, role, created_at)
  SELECT 'prs_0' || substr(md5(m.account_id || m.person_id), 1, 25), m.account_id, p.email, p.name, m.role, m.created_at
    FROM memberships m JOIN people p USING (person_id) WHERE m.account_id <> p.account_id;
DROP TABLE memberships;

ALTER TABLE people ALTER account_id SET NOT NULL, ALTER role SET NOT NULL,
  ADD CONSTRAINT people_account_email_key UNIQUE (account_id, email);
CREATE INDEX people_by_email ON people (email);

-- An identity opens the people of several accounts; a person has one identity.
ALTER TABLE identities DROP CONSTRAINT identities_pkey, ADD PRIMARY KEY (person_id);
DROP INDEX identities_by_person;
CREATE INDEX identities_by_subject ON identities (issuer, subject);

-- A session opens the people whom one sign-in has proven: one row for each.
ALTER TABLE console_sessions DROP CONSTRAINT console_sessions_pkey, ADD PRIMARY KEY (token_hash, person_id);
