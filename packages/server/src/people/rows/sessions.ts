import type { Role } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { affected, none, one, values } from '../../kernel/postgres/statement.ts';

export type StartedBy = 'PASSWORD' | 'LINK' | 'OIDC';

export interface SessionRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly started_by: StartedBy;
  readonly created_ms: number;
  readonly last_used_ms: number;
  readonly accounts: readonly { readonly account_id: string; readonly name: string; readonly role: Role }[];
}

/** A person has few accounts. The limit keeps the answer small if an operator's script adds many. */
const maxAccounts = 1000;

/** By primary key, with the person's accounts that are not being deleted. */
export const findSession = one<[tokenHash: Buffer], SessionRow>(
  'find_console_session',
  `SELECT p.person_id, p.email, p.name, s.started_by, ${epochMs('s.created_at')} AS created_ms,
      ${epochMs('s.last_used_at')} AS last_used_ms,
      (SELECT coalesce(json_agg(m), '[]') FROM (
        SELECT account_id, a.name, m.role FROM memberships m JOIN accounts a USING (account_id)
          WHERE m.person_id = s.person_id
            AND NOT EXISTS (SELECT FROM account_deletions d WHERE d.account_id = m.account_id)
          ORDER BY a.name, account_id LIMIT ${maxAccounts}) m) AS accounts
    FROM console_sessions s JOIN people p USING (person_id) WHERE s.token_hash = $1`,
);

export const insertSession = none<[tokenHash: Buffer, personId: string, startedBy: StartedBy, nowMs: number]>(
  'insert_console_session',
  `INSERT INTO console_sessions (token_hash, person_id, started_by, created_at, last_used_at)
    VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($4::float8 / 1000))`,
);

/** Older sessions of the same person end when there are more. */
const maxSessionsPerPerson = 20;

export const trimSessions = none<[personId: string]>(
  'trim_console_sessions',
  `DELETE FROM console_sessions WHERE token_hash IN (
      SELECT token_hash FROM console_sessions WHERE person_id = $1 ORDER BY created_at DESC OFFSET ${maxSessionsPerPerson})`,
);

export const updateSessionUse = none<[tokenHash: Buffer, nowMs: number]>(
  'touch_console_session',
  `UPDATE console_sessions SET last_used_at = to_timestamp($2::float8 / 1000)
    WHERE token_hash = $1 AND last_used_at < to_timestamp($2::float8 / 1000)`,
);

export const deleteSession = none<[tokenHash: Buffer]>(
  'delete_console_session',
  'DELETE FROM console_sessions WHERE token_hash = $1',
);

export const deleteSessionsOf = none<[personId: string]>(
  'delete_console_sessions_of_person',
  'DELETE FROM console_sessions WHERE person_id = $1',
);

/** Replaces the person's earlier link, which stops working. */
export const upsertLink = none<[personId: string, tokenHash: Buffer, expiresMs: number]>(
  'upsert_sign_in_link',
  `INSERT INTO sign_in_links (person_id, token_hash, expires_at) VALUES ($1, $2, to_timestamp($3::float8 / 1000))
    ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
);

/** Deletes the link and returns whose it was: of concurrent calls, one gets it. */
export const claimLink = one<[tokenHash: Buffer], { person_id: string; expires_ms: number }>(
  'claim_sign_in_link',
  `DELETE FROM sign_in_links WHERE token_hash = $1 RETURNING person_id, ${epochMs('expires_at')} AS expires_ms`,
);

export const deleteLinkOf = none<[personId: string]>(
  'delete_sign_in_link',
  'DELETE FROM sign_in_links WHERE person_id = $1',
);

/** Removes up to `limit` sessions that were last used before a time, and expired links. Uses console_sessions_by_use. */
export const purgeSessions = affected<[beforeMs: number, limit: number]>(
  'purge_console_sessions',
  `WITH links AS (DELETE FROM sign_in_links WHERE expires_at < now() - interval '1 day')
    DELETE FROM console_sessions WHERE token_hash IN (
      SELECT token_hash FROM console_sessions WHERE last_used_at < to_timestamp($1::float8 / 1000)
        ORDER BY last_used_at LIMIT $2) RETURNING person_id`,
);

const lockPeopleWithoutAccount = values<[limit: number], string>(
  'lock_people_without_account',
  `SELECT person_id FROM people p WHERE NOT EXISTS (SELECT FROM memberships m WHERE m.person_id = p.person_id)
    LIMIT $1 FOR UPDATE SKIP LOCKED`,
);

const deletePeople = none<[personIds: readonly string[]]>(
  'purge_people',
  `DELETE FROM people p WHERE person_id = ANY($1)
    AND NOT EXISTS (SELECT FROM memberships m WHERE m.person_id = p.person_id)`,
);

/** Removes up to `limit` people without an account: theirs was deleted. Checks again once their rows are locked. */
export async function purgePeople(tx: Queryable, limit: number): Promise<number> {
  const left = await lockPeopleWithoutAccount(tx, limit);
  if (left.length > 0) await deletePeople(tx, left);
  return left.length;
}
