import type { Role } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { boundedRows, epochMs, type PageRow, type PageSize } from '../../kernel/postgres/sql-fragments.ts';
import { many, none, one, only, some, value } from '../../kernel/postgres/statement.ts';

interface PersonRow {
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

/** Whether there are no people and no accounts yet, and none were deleted. */
export const isInstallationEmpty = value<[], boolean>(
  'is_installation_empty',
  `SELECT NOT EXISTS (SELECT FROM people) AND NOT EXISTS (SELECT FROM accounts)
    AND NOT EXISTS (SELECT FROM account_deletions) AS empty`,
);

const insertPerson = some<[person: Pick<PersonRow, 'person_id' | 'email' | 'name'>]>(
  'insert_person',
  `INSERT INTO people (person_id, email, name) VALUES ($1, $2, $3)
    ON CONFLICT (email) DO NOTHING RETURNING person_id`,
  ({ person_id, email, name }) => [person_id, email, name],
);

const lockPersonByEmail = only<[email: string], PersonRow>(
  'lock_person_by_email',
  `SELECT ${columns} FROM people WHERE email = $1 FOR UPDATE`,
);

/** Creates the person if there is none. Locks the row, so that concurrent invitations of one person follow each other. */
export async function findOrInsertPerson(
  tx: Queryable,
  person: Pick<PersonRow, 'person_id' | 'email' | 'name'>,
): Promise<{ person: PersonRow; isNew: boolean }> {
  const isNew = await insertPerson(tx, person);
  return { person: await lockPersonByEmail(tx, person.email), isNew };
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

/** A person, as a member of one account. */
export interface MemberRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly created_ts: number;
  readonly last_used_ts: number | null;
}

const members = `SELECT p.person_id, p.email, p.name, m.role, ${epochMs('m.created_at')} AS created_ts,
    (SELECT ${epochMs('max(s.last_used_at)')} FROM console_sessions s WHERE s.person_id = p.person_id) AS last_used_ts
  FROM memberships m JOIN people p USING (person_id)`;

/** By the primary key of memberships. */
export const findMember = one<[accountId: string, personId: string], MemberRow>(
  'find_member',
  `${members} WHERE m.account_id = $1 AND m.person_id = $2`,
);

/** By ID, after `afterId`. Uses the primary key of memberships. */
export const listMembers = many<[accountId: string, afterId: string, page: PageSize], MemberRow & PageRow>(
  'list_members',
  boundedRows(
    'person_id',
    '$4',
    `${members} WHERE m.account_id = $1 AND m.person_id > $2 ORDER BY m.person_id LIMIT $3`,
  ),
  (accountId, afterId, { limit, bytes }) => [accountId, afterId, limit, bytes],
);

/** The caller has locked the account, so that concurrent calls cannot both remove one of the last two owners. */
export const countMembers = only<[accountId: string], { people: number; owners: number }>(
  'count_members',
  `SELECT count(*)::int AS people, (count(*) FILTER (WHERE role = 'OWNER'))::int AS owners
    FROM memberships WHERE account_id = $1`,
);

/** Whether the person is a member of an account other than this one. Uses memberships_by_person. */
export const isMemberElsewhere = value<[personId: string, accountId: string], boolean>(
  'is_member_elsewhere',
  'SELECT EXISTS (SELECT FROM memberships WHERE person_id = $1 AND account_id <> $2) AS found',
);

export const deleteMembership = none<[accountId: string, personId: string]>(
  'delete_member',
  'DELETE FROM memberships WHERE account_id = $1 AND person_id = $2',
);

/** With their sessions, unless the person has another account. */
export const deletePersonWithoutAccount = none<[personId: string]>(
  'delete_person_without_account',
  `DELETE FROM people p WHERE person_id = $1
    AND NOT EXISTS (SELECT FROM memberships m WHERE m.person_id = p.person_id)`,
);

/** The person whom a provider knows by this subject. By primary key. */
export const findIdentity = value<[issuer: string, subject: string], string>(
  'find_identity',
  'SELECT person_id FROM identities WHERE issuer = $1 AND subject = $2',
);

const lockPersonForIdentity = value<[email: string], string>(
  'lock_person_for_identity',
  'SELECT person_id FROM people WHERE email = $1 FOR UPDATE',
);

const findIdentityOf = one<[personId: string], { issuer: string; subject: string }>(
  'list_identities',
  'SELECT issuer, subject FROM identities WHERE person_id = $1',
);

const insertIdentityRow = none<[issuer: string, subject: string, personId: string]>(
  'insert_identity',
  'INSERT INTO identities (issuer, subject, person_id) VALUES ($1, $2, $3)',
);

/**
 * Connects the invited person with this email, in lower case. Undefined if there is none, or one who is connected with another
 * identity. Locks the person: of concurrent sign-ins with the same email, the first connects.
 */
export async function insertIdentity(
  tx: Queryable,
  email: string,
  issuer: string,
  subject: string,
): Promise<string | undefined> {
  const personId = await lockPersonForIdentity(tx, email);
  if (personId === undefined) return undefined;
  const known = await findIdentityOf(tx, personId);
  if (known) return known.issuer === issuer && known.subject === subject ? personId : undefined;
  await insertIdentityRow(tx, issuer, subject, personId);
  return personId;
}

/** So that the next sign-in is matched by email again. Uses identities_by_person. */
export const deleteIdentitiesOf = none<[personId: string]>(
  'delete_identities',
  'DELETE FROM identities WHERE person_id = $1',
);
