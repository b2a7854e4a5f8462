import type { Role } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';
import { boundedRows, epochMs, type PageRow, type PageSize } from './sql-fragments.ts';

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

const findStatement: Statement = {
  name: 'find_member',
  text: `${members} WHERE m.account_id = $1 AND m.person_id = $2`,
};

/** By the primary key of memberships. */
export async function findMember(
  db: Queryable,
  accountId: string,
  personId: string,
): Promise<MemberRow | undefined> {
  const [row] = await db.rows<MemberRow>(findStatement, [accountId, personId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_members',
  text: boundedRows(
    'person_id',
    '$4',
    `${members} WHERE m.account_id = $1 AND m.person_id > $2 ORDER BY m.person_id LIMIT $3`,
  ),
};

/** By ID, after `afterId`. Uses the primary key of memberships. */
export async function listMembers(
  db: Queryable,
  accountId: string,
  afterId: string,
  { limit, bytes }: PageSize,
): Promise<(MemberRow & PageRow)[]> {
  return db.rows(listStatement, [accountId, afterId, limit, bytes]);
}

const countStatement: Statement = {
  name: 'count_members',
  text: `SELECT count(*)::int AS people, (count(*) FILTER (WHERE role = 'OWNER'))::int AS owners
    FROM memberships WHERE account_id = $1`,
};

/** The caller has locked the account, so that concurrent calls cannot both remove one of the last two owners. */
export async function countMembers(
  tx: Queryable,
  accountId: string,
): Promise<{ people: number; owners: number }> {
  const [row] = await tx.rows<{ people: number; owners: number }>(countStatement, [accountId]);
  return row ?? { people: 0, owners: 0 };
}

const otherAccountsStatement: Statement = {
  name: 'is_member_elsewhere',
  text: 'SELECT EXISTS (SELECT FROM memberships WHERE person_id = $1 AND account_id <> $2) AS found',
};

/** Whether the person is a member of an account other than this one. Uses memberships_by_person. */
export async function isMemberElsewhere(
  db: Queryable,
  personId: string,
  accountId: string,
): Promise<boolean> {
  const [row] = await db.rows<{ found: boolean }>(otherAccountsStatement, [personId, accountId]);
  return row?.found ?? false;
}

const deleteStatement: Statement = {
  name: 'delete_member',
  text: 'DELETE FROM memberships WHERE account_id = $1 AND person_id = $2',
};

const deletePersonStatement: Statement = {
  name: 'delete_person_without_account',
  text: `DELETE FROM people p WHERE person_id = $1
    AND NOT EXISTS (SELECT FROM memberships m WHERE m.person_id = p.person_id)`,
};

/** A person without another account is deleted, with their sessions. */
export async function deleteMember(tx: Queryable, accountId: string, personId: string): Promise<void> {
  await tx.rows(deleteStatement, [accountId, personId]);
  await tx.rows(deletePersonStatement, [personId]);
}
