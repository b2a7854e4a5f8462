import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { claimDeletedDataset, deleteDatasetRow, deleteRecordsAfter } from './rows/purge.ts';

/** As for deletes that callers wait for: transactions of about 50 ms. */
const rowsPerStep = 5000;
/** How soon an idle worker notices a deleted dataset. */
const pauseMs = 2000;

/**
 * Removes the records of deleted datasets of any size in the background, until `stopping`. Nothing waits for this,
 * since the records are invisible. Each step claims its dataset, so several workers may run it.
 */
export async function purgeDatasets(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  let at: { key: number; id: string } | undefined;
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to purge deleted datasets; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    at = await db.transaction(async (tx) => {
      const dataset = await claimDeletedDataset(tx);
      if (!dataset) return undefined;
      const key = dataset.dataset_key;
      const lastId = await deleteRecordsAfter(tx, dataset, at?.key === key ? at.id : '', rowsPerStep);
      if (lastId === undefined) await deleteDatasetRow(tx, key);
      return { key, id: lastId ?? '' };
    });
    return at !== undefined;
  });
}
