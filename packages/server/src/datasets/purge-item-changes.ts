import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { deleteOldItemChanges } from './rows/item-changes.ts';

/** A row has up to 1000 IDs, about 20 kB, so the transaction stays short. */
const rowsPerStep = 500;
/** Rows are kept for an hour, so a minute more does not matter. */
const pauseMs = 60_000;

/** Removes old entries of the list of changed items, until `stopping`. */
export async function purgeItemChanges(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to remove old item changes; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    return (await deleteOldItemChanges(db, rowsPerStep)) === rowsPerStep;
  });
}
