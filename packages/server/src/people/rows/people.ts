import type { Role } from '@tastegraph/contract';
import { boundedRows, epochMs, type PageRow, type PageSize } from '../../kernel/postgres/sql-fragments.ts';
import { many, none, one, only, value, values } from '../../kernel/postgres/statement.ts';

/** A person belongs to one account. Somebody who is in two accounts is two people with the same email. */
export interface PersonRow {
  readonly person_id: string;
  readonly email: string;
  readonly password_hash: string | null;
}

const columns = 'person_id, email, password_hash';

/** In all accounts. Uses people_by_email, which is in lower case. */
export const listPeopleByEmail = many<[email: string], PersonRow>(
  'list_people_by_email',
  `SELECT ${columns} FROM people WHERE email = $1 ORDER BY person_id`,
);

/**
 * As they are once they are locked. Whoever changes a credential or starts a session locks the people first, so that nothing that was
 * proven with a credential is written after the credential has ended.
 */
export const lockPeople = many<[personIds: readonly string[]], PersonRow>(
  'lock_people',
  `SELECT ${columns} FROM people WHERE person_id = ANY($1::text[]) ORDER BY person_id FOR UPDATE`,
);

/** By primary key. */
export const listPeople = many<[personIds: readonly string[]], PersonRow>(
  'list_people',
  `SELECT ${columns} FROM people WHERE person_id = ANY($1::text[]) ORDER BY person_id`,
);

/** Whether there are no people and no accounts yet, and none were deleted. */
export const isInstallationEmpty = value<[], boolean>(
  'is_installation_empty',
  `SELECT NOT EXISTS (SELECT FROM people) AND NOT EXISTS (SELECT FROM accounts)
    AND NOT EXISTS (SELECT FROM account_deletions) AS empty`,
);

interface NewPerson {
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/** Only changes the role if the account has a person with this email. Undefined if the account does not exist or is being deleted. */
export const upsertPerson = value<[personId: string, person: NewPerson], string>(
  'upsert_person',
  `INSERT INTO people (person_id, account_id, email, name, role)
    SELECT $1, account_id, $3, $4, $5 FROM accounts WHERE account_id = $2
      AND NOT EXISTS (SELECT FROM account_deletions WHERE account_id = $2)
    ON CONFLICT (account_id, email) DO UPDATE SET role = excluded.role RETURNING person_id`,
  (personId, { accountId, email, name, role }) => [personId, accountId, email, name, role],
);

export const updateRole = none<[personId: string, role: Role]>(
  'update_person_role',
  'UPDATE people SET role = $2 WHERE person_id = $1',
);

/** With their credentials, which refer to the person. */
export const deletePerson = none<[personId: string]>(
  'delete_person',
  'DELETE FROM people WHERE person_id = $1',
);

/** Null removes the password. */
export const updatePasswords = none<[personIds: readonly string[], passwordHash: string | null]>(
  'update_passwords',
  'UPDATE people SET password_hash = $2 WHERE person_id = ANY($1::text[])',
);

/** A person, as the account sees them. */
export interface MemberRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly created_ts: number;
  readonly last_used_ts: number | null;
}

const members = `SELECT p.person_id, p.email, p.name, p.role, ${epochMs('p.created_at')} AS created_ts,
    (SELECT ${epochMs('max(s.last_used_at)')} FROM console_sessions s WHERE s.person_id = p.person_id) AS last_used_ts
  FROM people p WHERE p.account_id = $1`;

/** By primary key. */
export const findMember = one<[accountId: string, personId: string], MemberRow>(
  'find_member',
  `${members} AND p.person_id = $2`,
);

/** Uses people_account_email_key. */
export const findMemberByEmail = one<[accountId: string, email: string], MemberRow>(
  'find_member_by_email',
  `${members} AND p.email = $2`,
);

/** By ID, after `afterId`. An account has few people. */
export const listMembers = many<[accountId: string, afterId: string, page: PageSize], MemberRow & PageRow>(
  'list_members',
  boundedRows('person_id', '$4', `${members} AND p.person_id > $2 ORDER BY p.person_id LIMIT $3`),
  (accountId, afterId, { limit, bytes }) => [accountId, afterId, limit, bytes],
);

export const listMemberIds = values<[accountId: string], string>(
  'list_member_ids',
  'SELECT person_id FROM people WHERE account_id = $1',
);

/** The caller has locked the account, so that concurrent calls cannot both remove one of the last two owners. */
export const countMembers = only<[accountId: string], { people: number; owners: number }>(
  'count_members',
  `SELECT count(*)::int AS people, (count(*) FILTER (WHERE role = 'OWNER'))::int AS owners
    FROM people WHERE account_id = $1`,
);
