import type { Role } from '@tastegraph/contract';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { affected, many, none, some, value, values } from '../../kernel/postgres/statement.ts';

export type StartedBy = 'PASSWORD' | 'LINK' | 'OIDC';

/** A person whom the session opens, in their account. */
export interface SessionRow {
  readonly person_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly account_id: string;
  readonly account_name: string;
  readonly started_by: StartedBy;
  readonly created_ms: number;
  readonly last_used_ms: number;
}

/** Somebody is in few accounts. The limit keeps the answer small if an operator's script adds many. */
const maxAccounts = 1000;

/** By primary key. Without accounts that are being deleted. */
export const listSession = many<[tokenHash: Buffer], SessionRow>(
  'list_console_session',
  `SELECT p.person_id, p.email, p.name, p.role, account_id, a.name AS account_name, s.started_by,
      ${epochMs('s.created_at')} AS created_ms, ${epochMs('s.last_used_at')} AS last_used_ms
    FROM console_sessions s JOIN people p USING (person_id) JOIN accounts a USING (account_id)
    WHERE s.token_hash = $1 AND NOT EXISTS (SELECT FROM account_deletions d WHERE d.account_id = p.account_id)
    ORDER BY a.name, account_id LIMIT ${maxAccounts}`,
);

/** The people whom the session still opens. The caller has locked them. */
export const listPeopleOfSession = values<[tokenHash: Buffer], string>(
  'list_people_of_console_session',
  'SELECT person_id FROM console_sessions WHERE token_hash = $1',
);

export const insertSession = none<
  [tokenHash: Buffer, personIds: readonly string[], startedBy: StartedBy, nowMs: number]
>(
  'insert_console_session',
  `INSERT INTO console_sessions (token_hash, person_id, started_by, created_at, last_used_at)
    SELECT $1, person_id, $3, to_timestamp($4::float8 / 1000), to_timestamp($4::float8 / 1000)
      FROM unnest($2::text[]) AS person_id`,
);

/** Older sessions of the same person end when there are more. */
const maxSessionsPerPerson = 20;

export const trimSessions = none<[personIds: readonly string[]]>(
  'trim_console_sessions',
  `DELETE FROM console_sessions s USING (
      SELECT token_hash, person_id, row_number() OVER (PARTITION BY person_id ORDER BY created_at DESC) AS place
        FROM console_sessions WHERE person_id = ANY($1::text[])) newest
    WHERE place > ${maxSessionsPerPerson} AND s.token_hash = newest.token_hash AND s.person_id = newest.person_id`,
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

export const deleteSessionsOf = none<[personIds: readonly string[]]>(
  'delete_console_sessions_of_people',
  'DELETE FROM console_sessions WHERE person_id = ANY($1::text[])',
);

/** Replaces the person's earlier link, which stops working. */
export const upsertLink = none<[personId: string, tokenHash: Buffer, expiresMs: number]>(
  'upsert_sign_in_link',
  `INSERT INTO sign_in_links (person_id, token_hash, expires_at) VALUES ($1, $2, to_timestamp($3::float8 / 1000))
    ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
);

/** The person of a link, which has not expired. */
export const findPersonOfLink = value<[tokenHash: Buffer], string>(
  'find_person_of_link',
  'SELECT person_id FROM sign_in_links WHERE token_hash = $1 AND expires_at > now()',
);

/** Of concurrent calls with the same link, one gets it. The caller has locked the person. */
export const claimLink = some<[tokenHash: Buffer]>(
  'claim_sign_in_link',
  'DELETE FROM sign_in_links WHERE token_hash = $1 RETURNING person_id',
);

export const deleteLinksOf = none<[personIds: readonly string[]]>(
  'delete_sign_in_links',
  'DELETE FROM sign_in_links WHERE person_id = ANY($1::text[])',
);

/** Removes up to `limit` sessions that were last used before a time, and expired links. Uses console_sessions_by_use. */
export const purgeSessions = affected<[beforeMs: number, limit: number]>(
  'purge_console_sessions',
  `WITH links AS (DELETE FROM sign_in_links WHERE expires_at < now() - interval '1 day')
    DELETE FROM console_sessions WHERE (token_hash, person_id) IN (
      SELECT token_hash, person_id FROM console_sessions WHERE last_used_at < to_timestamp($1::float8 / 1000)
        ORDER BY last_used_at LIMIT $2) RETURNING person_id`,
);
