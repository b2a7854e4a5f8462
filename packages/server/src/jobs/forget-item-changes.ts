import { repeat } from '../lib/repeat.ts';
import type { Log } from '../observability/log.ts';
import { deleteOldItemChanges } from '../storage/postgres/item-changes.ts';
import type { Database } from '../storage/postgres/pool.ts';

/** A row holds up to a thousand ids, some 20 kB: a short transaction. */
const stepRows = 500;
/** Rows are kept for an hour; a minute more is nothing. */
const pauseMs = 60_000;

/** Removes old entries of the list of changed items, until `stopping`. */
export async function forgetItemChanges(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'forgetting old changes of items will be tried again');
  await repeat({ pauseMs, stopping, onError }, async () => {
    return (await deleteOldItemChanges(db, stepRows)) === stepRows;
  });
}
