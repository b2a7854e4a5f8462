import { repeat } from '../lib/repeat.ts';
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
  let at: { key: number; id: string } | undefined;
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'purging deleted datasets will be tried again');
  await repeat({ pauseMs, stopping, onError }, async () => {
    at = await db.transaction(async (tx) => {
      const dataset = await claimDeletedDataset(tx);
      if (!dataset) return undefined;
      const key = dataset.dataset_key;
      const lastId = await deleteRecordsAfter(tx, dataset, at?.key === key ? at.id : '', stepRows);
      if (lastId === undefined) await deleteDatasetRow(tx, key);
      return { key, id: lastId ?? '' };
    });
    return at !== undefined;
  });
}
