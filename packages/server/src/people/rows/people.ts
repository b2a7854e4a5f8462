import type { Role } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { none, one, statement, value } from '../../kernel/postgres/statement.ts';

export interface PersonRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly password_hash: string | null;
}

const columns = 'person_id, email, name, password_hash';

/** By the unique index on email, which is in lower case. */
export const findPersonByEmail = one<[email: string], PersonRow>(
  'find_person_by_email',
  `SELECT ${columns} FROM people WHERE email = $1`,
);

export const findPerson = one<[personId: string], PersonRow>(
  'find_person',
  `SELECT ${columns} FROM people WHERE person_id = $1`,
);

const isEmptyStatement = statement(
  'is_installation_empty',
  `SELECT NOT EXISTS (SELECT FROM people) AND NOT EXISTS (SELECT FROM accounts)
    AND NOT EXISTS (SELECT FROM account_deletions) AS empty`,
);

/** Whether there are no people and no accounts yet, and none were deleted. */
export async function isInstallationEmpty(db: Queryable): Promise<boolean> {
  const [row] = await db.rows<{ empty: boolean }>(isEmptyStatement, []);
  return row?.empty ?? false;
}

const insertStatement = statement(
  'insert_person',
  `INSERT INTO people (person_id, email, name) VALUES ($1, $2, $3)
    ON CONFLICT (email) DO NOTHING RETURNING person_id`,
);

const lockStatement = statement(
  'lock_person_by_email',
  `SELECT ${columns} FROM people WHERE email = $1 FOR UPDATE`,
);

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

/** Null removes the password. */
export const updatePassword = none<[personId: string, passwordHash: string | null]>(
  'update_person_password',
  'UPDATE people SET password_hash = $2 WHERE person_id = $1',
);

/** Whether the person was no member before. Undefined if the account does not exist or is being deleted. */
export const upsertMembership = value<[accountId: string, personId: string, role: Role], boolean>(
  'upsert_membership',
  `INSERT INTO memberships (account_id, person_id, role)
    SELECT account_id, $2, $3 FROM accounts WHERE account_id = $1
      AND NOT EXISTS (SELECT FROM account_deletions WHERE account_id = $1)
    ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role RETURNING (xmax = 0) AS is_new`,
);
