import type { Role } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';

export interface PersonRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly password_hash: string | null;
}

const columns = 'person_id, email, name, password_hash';

const findByEmailStatement: Statement = {
  name: 'find_person_by_email',
  text: `SELECT ${columns} FROM people WHERE email = $1`,
};

/** By the unique index on email, which is in lower case. */
export async function findPersonByEmail(db: Queryable, email: string): Promise<PersonRow | undefined> {
  const [row] = await db.rows<PersonRow>(findByEmailStatement, [email]);
  return row;
}

const findStatement: Statement = {
  name: 'find_person',
  text: `SELECT ${columns} FROM people WHERE person_id = $1`,
};

export async function findPerson(db: Queryable, personId: string): Promise<PersonRow | undefined> {
  const [row] = await db.rows<PersonRow>(findStatement, [personId]);
  return row;
}

const isEmptyStatement: Statement = {
  name: 'is_installation_empty',
  text: `SELECT NOT EXISTS (SELECT FROM people) AND NOT EXISTS (SELECT FROM accounts)
    AND NOT EXISTS (SELECT FROM account_deletions) AS empty`,
};

/** Whether there are no people and no accounts yet, and none were deleted. */
export async function isInstallationEmpty(db: Queryable): Promise<boolean> {
  const [row] = await db.rows<{ empty: boolean }>(isEmptyStatement, []);
  return row?.empty ?? false;
}

const insertStatement: Statement = {
  name: 'insert_person',
  text: `INSERT INTO people (person_id, email, name) VALUES ($1, $2, $3)
    ON CONFLICT (email) DO NOTHING RETURNING person_id`,
};

const lockStatement: Statement = {
  name: 'lock_person_by_email',
  text: `SELECT ${columns} FROM people WHERE email = $1 FOR UPDATE`,
};

/**
 * The person with this email, created if there is none. Locks the row until the transaction ends, so that concurrent
 * invitations of one person follow each other.
 */
export async function findOrInsertPerson(
  tx: Queryable,
  person: Pick<PersonRow, 'person_id' | 'email' | 'name'>,
): Promise<{ person: PersonRow; isNew: boolean }> {
  const inserted = await tx.rows(insertStatement, [person.person_id, person.email, person.name]);
  const [row] = await tx.rows<PersonRow>(lockStatement, [person.email]);
  if (!row) throw new Error('the person was removed meanwhile');
  return { person: row, isNew: inserted.length > 0 };
}

const updatePasswordStatement: Statement = {
  name: 'update_person_password',
  text: 'UPDATE people SET password_hash = $2 WHERE person_id = $1',
};

/** Null removes the password. */
export async function updatePassword(
  db: Queryable,
  personId: string,
  passwordHash: string | null,
): Promise<void> {
  await db.rows(updatePasswordStatement, [personId, passwordHash]);
}

const upsertMembershipStatement: Statement = {
  name: 'upsert_membership',
  text: `INSERT INTO memberships (account_id, person_id, role)
    SELECT account_id, $2, $3 FROM accounts WHERE account_id = $1
      AND NOT EXISTS (SELECT FROM account_deletions WHERE account_id = $1)
    ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role RETURNING (xmax = 0) AS is_new`,
};

/** Whether the person was no member before. Undefined if the account does not exist or is being deleted. */
export async function upsertMembership(
  db: Queryable,
  accountId: string,
  personId: string,
  role: Role,
): Promise<boolean | undefined> {
  const [row] = await db.rows<{ is_new: boolean }>(upsertMembershipStatement, [accountId, personId, role]);
  return row?.is_new;
}
