import type { Role } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { boundedRows, epochMs, type PageRow, type PageSize } from '../../kernel/postgres/sql-fragments.ts';
import { many, one, statement } from '../../kernel/postgres/statement.ts';

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

const countStatement = statement(
  'count_members',
  `SELECT count(*)::int AS people, (count(*) FILTER (WHERE role = 'OWNER'))::int AS owners
    FROM memberships WHERE account_id = $1`,
);

/** The caller has locked the account, so that concurrent calls cannot both remove one of the last two owners. */
export async function countMembers(
  tx: Queryable,
  accountId: string,
): Promise<{ people: number; owners: number }> {
  const [row] = await tx.rows<{ people: number; owners: number }>(countStatement, [accountId]);
  return row ?? { people: 0, owners: 0 };
}

const otherAccountsStatement = statement(
  'is_member_elsewhere',
  'SELECT EXISTS (SELECT FROM memberships WHERE person_id = $1 AND account_id <> $2) AS found',
);

/** Whether the person is a member of an account other than this one. Uses memberships_by_person. */
export async function isMemberElsewhere(
  db: Queryable,
  personId: string,
  accountId: string,
): Promise<boolean> {
  const [row] = await db.rows<{ found: boolean }>(otherAccountsStatement, [personId, accountId]);
  return row?.found ?? false;
}

const deleteStatement = statement(
  'delete_member',
  'DELETE FROM memberships WHERE account_id = $1 AND person_id = $2',
);

const deletePersonStatement = statement(
  'delete_person_without_account',
  `DELETE FROM people p WHERE person_id = $1
    AND NOT EXISTS (SELECT FROM memberships m WHERE m.person_id = p.person_id)`,
);

/** A person without another account is deleted, with their sessions. */
export async function deleteMember(tx: Queryable, accountId: string, personId: string): Promise<void> {
  await tx.rows(deleteStatement, [accountId, personId]);
  await tx.rows(deletePersonStatement, [personId]);
}
