import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../observability/log.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { claimDeletedDataset, deleteDatasetRow, deleteRecordsAfter } from '../storage/postgres/purge.ts';

/** As for deletes that callers wait for: about 50 ms of short transaction. */
const stepRows = 5000;
/** How long a deleted dataset may lie about when nothing else is to be done. */
const pauseMs = 2000;

/**
 * Removes the records of deleted datasets, in the background and at any size, until `stopping`. Nobody sees
 * these records any more, so nobody waits for this; a step claims its dataset, so several workers may run it.
 */
export async function purgeDatasets(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  // Read afresh each time: what aborts it happens elsewhere.
  const stopped = () => stopping.aborted;
  while (!stopped()) {
    try {
      if (!(await purgeOne(db, stopped))) await sleep(pauseMs, undefined, { signal: stopping });
    } catch (error) {
      if (stopped()) return;
      log.warn({ err: error }, 'purging deleted datasets will be tried again');
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

/** False when there is nothing to purge. */
async function purgeOne(db: Database, stopped: () => boolean): Promise<boolean> {
  let at: { key: number; id: string } | undefined;
  while (!stopped()) {
    const next = await db.transaction(async (tx) => {
      const dataset = await claimDeletedDataset(tx);
      if (!dataset) return undefined;
      const key = dataset.dataset_key;
      const lastId = await deleteRecordsAfter(tx, dataset, at?.key === key ? at.id : '', stepRows);
      if (lastId === undefined) await deleteDatasetRow(tx, key);
      return { key, id: lastId ?? '' };
    });
    if (!next) return at !== undefined;
    at = next;
  }
  return true;
}
