import { setTimeout as sleep } from 'node:timers/promises';
import {
  findOldestTransaction,
  listDatasetIds,
  takeTransactionNumber,
} from '../../storage/postgres/account-moves.ts';
import { datasetLockKey } from '../../storage/postgres/datasets.ts';
import { type Database, isLockTimeout } from '../../storage/postgres/pool.ts';
import { ApiError } from '../api-error.ts';

/** A transaction ends within 30 s per statement; a batch of records has up to 32 of them. */
const maxDrainMs = 10 * 60_000;
const drainPollMs = 50;

/**
 * Returns when every change that was not refused has ended: upserts hold the lock of their dataset while they read the account and write,
 * and every other change has a transaction number before it reads the account.
 */
export async function drainChanges(db: Database, accountId: string): Promise<void> {
  const end = performance.now() + maxDrainMs;
  const number = await takeTransactionNumber(db);
  for (const datasetId of await listDatasetIds(db, accountId))
    while (!(await awaitUpserts(db, datasetLockKey(accountId, datasetId)))) requireTimeLeft(end);
  while ((await findOldestTransaction(db)) < number) {
    requireTimeLeft(end);
    await sleep(drainPollMs);
  }
}

/** False if the lock was not free within the lock_timeout of the pool. */
async function awaitUpserts(db: Database, lockKey: bigint): Promise<boolean> {
  try {
    await db.transaction((tx) => tx.lock(lockKey, 'exclusive'));
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

function requireTimeLeft(end: number): void {
  if (performance.now() <= end) return;
  throw new ApiError(
    'UNAVAILABLE',
    'A transaction of this PostgreSQL has not ended for 10 minutes. Find it in pg_stat_activity, end it, and repeat the command.',
  );
}
