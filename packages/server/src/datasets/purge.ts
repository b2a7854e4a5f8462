import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { deleteOldItemChanges } from './rows/item-changes.ts';
import { claimDeletedDataset, deleteDatasetRow, deleteRecordsAfter } from './rows/purge.ts';

/** As for deletes that callers wait for: transactions of about 50 ms. */
const rowsPerStep = 5000;

/** Nothing waits for this: the records are invisible. Each step claims its dataset, so several workers may run it. */
export function purgeDatasets({ db }: Pick<Services, 'db'>): TaskStep {
  let at: { key: number; id: string } | undefined;
  return async () => {
    at = await db.transaction(async (tx) => {
      const dataset = await claimDeletedDataset(tx);
      if (!dataset) return undefined;
      const key = dataset.dataset_key;
      const lastId = await deleteRecordsAfter(tx, dataset, at?.key === key ? at.id : '', rowsPerStep);
      if (lastId === undefined) await deleteDatasetRow(tx, key);
      return { key, id: lastId ?? '' };
    });
    return at !== undefined;
  };
}

/** A row has up to 1000 IDs, about 20 kB, so the transaction stays short. */
const changesPerStep = 500;

/** Removes old entries of the list of changed items. */
export function purgeItemChanges({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => {
    return (await deleteOldItemChanges(db, changesPerStep)) === changesPerStep;
  };
}
