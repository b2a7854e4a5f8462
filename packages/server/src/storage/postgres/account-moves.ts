import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Database, Queryable, Statement } from './pool.ts';
import { epochMs } from './sql-fragments.ts';

/** SQLSTATE of the triggers of migration 0042, and what their message begins with. */
const movingState = '58TG1';
const movingMessage = 'the account moves to cell ';

/** The cell that an account is being moved to, if this is why PostgreSQL refused a change. */
export function findMovingCell(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== movingState) return undefined;
  return error.message.slice(movingMessage.length);
}

export interface AccountMove {
  /** Null if it is not moved. */
  readonly moving_to: string | null;
  readonly moved_ts: number | null;
  readonly is_deleted: boolean;
  readonly live_jobs: number;
  readonly erasures: number;
}

const findStatement: Statement = {
  name: 'find_account_move',
  text: `SELECT a.moving_to, ${epochMs('a.moved_at')} AS moved_ts,
      EXISTS (SELECT FROM account_deletions d WHERE d.account_id = a.account_id) AS is_deleted,
      (SELECT count(*) FROM jobs j WHERE j.account_id = a.account_id AND j.job_status IN ('PENDING', 'RUNNING'))::int AS live_jobs,
      (SELECT count(*) FROM erasures e WHERE e.account_id = a.account_id AND e.user_id IS NOT NULL)::int AS erasures
    FROM accounts a WHERE a.account_id = $1`,
};

/** Where the account is going, and what it must not have meanwhile. Undefined if it does not exist. */
export async function findAccountMove(db: Queryable, accountId: string): Promise<AccountMove | undefined> {
  const [row] = await db.rows<AccountMove>(findStatement, [accountId]);
  return row;
}

const startStatement: Statement = {
  name: 'start_account_move',
  text: 'UPDATE accounts SET moving_to = $2 WHERE account_id = $1 AND coalesce(moving_to, $2) = $2 RETURNING account_id',
};

/** From the commit on, changes of the account are refused. False if it moves to another cell. */
export async function startAccountMove(db: Queryable, accountId: string, cell: string): Promise<boolean> {
  return (await db.rows(startStatement, [accountId, cell])).length === 1;
}

const cancelStatement: Statement = {
  name: 'cancel_account_move',
  text: 'UPDATE accounts SET moving_to = NULL WHERE account_id = $1 AND moving_to = $2 AND moved_at IS NULL',
};

/** The account can be changed again, unless it moves to another cell. Call it only while nobody can complete the copy. */
export async function cancelAccountMove(db: Queryable, accountId: string, cell: string): Promise<void> {
  await db.rows(cancelStatement, [accountId, cell]);
}

const finishStatement: Statement = {
  name: 'finish_account_move',
  text: 'UPDATE accounts SET moved_at = coalesce(moved_at, clock_timestamp()) WHERE account_id = $1 AND moving_to = $2',
};

/** From now on, calls of the account are told where it is. */
export async function finishAccountMove(db: Queryable, accountId: string, cell: string): Promise<void> {
  await db.rows(finishStatement, [accountId, cell]);
}

const newNumberStatement: Statement = {
  name: 'take_transaction_number',
  text: 'SELECT pg_current_xact_id()::text AS number',
};

/** A new transaction number: greater than that of every transaction that has one. A snapshot does not show those of open transactions. */
export async function takeTransactionNumber(db: Database): Promise<bigint> {
  const [row] = await db.rows<{ number: string }>(newNumberStatement, []);
  if (!row) throw new Error('PostgreSQL returned no transaction number');
  return BigInt(row.number);
}

/** The `application_name` of the sessions that copy an account. */
export const moveSessionName = 'tastegraph move-account';

// Every transaction with a number has a lock of it. One whose lock is not there yet counts.
const oldestNumberStatement: Statement = {
  name: 'find_oldest_transaction',
  text: `SELECT coalesce(min(n), pg_snapshot_xmax(pg_current_snapshot()))::text AS number
    FROM pg_snapshot_xip(pg_current_snapshot()) AS n
    WHERE NOT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.transactionid = n::xid
        AND a.application_name = '${moveSessionName}')`,
};

/**
 * All transactions with a smaller number have ended, except those that copy an account into a database of this PostgreSQL: they take long,
 * and change no account that is here already.
 */
export async function findOldestTransaction(db: Queryable): Promise<bigint> {
  const [row] = await db.rows<{ number: string }>(oldestNumberStatement, []);
  return BigInt(row?.number ?? 0);
}

const datasetsStatement: Statement = {
  name: 'list_dataset_ids',
  text: 'SELECT dataset_id FROM datasets WHERE account_id = $1 AND deleted_at IS NULL ORDER BY dataset_key',
};

export async function listDatasetIds(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.rows<{ dataset_id: string }>(datasetsStatement, [accountId]);
  return rows.map(({ dataset_id }) => dataset_id);
}

/** The advisory lock, in the other cell, of the one command that may complete or cancel a move. */
export function moveLockKey(accountId: string): bigint {
  return createHash('sha256').update(`move ${accountId}`).digest().readBigInt64BE();
}
