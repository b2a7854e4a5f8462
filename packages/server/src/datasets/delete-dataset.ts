import type { DatasetKind } from '@tastegraph/contract';
import type { Context } from '../http/context.ts';
import { datasetNotFound } from './get-dataset.ts';
import { type DatasetRow, datasetLockKey, markDatasetDeleted } from './rows/datasets.ts';

/**
 * Returns the deleted dataset, which is then invisible to all calls. `datasets/purge-datasets.ts` deletes its records in the
 * background.
 */
export async function deleteDataset(ctx: Context, kind: DatasetKind, datasetId: string): Promise<DatasetRow> {
  return ctx.db.transaction(async (tx) => {
    // Exclusive: concurrent writes finish first and are purged with the rest; later writes no longer find the dataset.
    await tx.lock(datasetLockKey(ctx.accountId, datasetId), 'exclusive');
    const dataset = await markDatasetDeleted(tx, ctx.accountId, kind, datasetId);
    if (!dataset) throw datasetNotFound(kind, datasetId);
    const needed = await ctx.hooks.neededBy(tx, { what: 'dataset', key: dataset.dataset_key });
    if (needed) throw needed;
    return dataset;
  });
}
