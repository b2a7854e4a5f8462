import type { DatasetKind } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { listProjectIdsOfDataset } from '../projects/rows/projects.ts';
import { datasetNotFound } from './get-dataset.ts';
import { type DatasetRow, datasetLockKey, markDatasetDeleted } from './rows/datasets.ts';

/** Projects that the error lists. */
const projectsNamed = 10;

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
    const projects = await listProjectIdsOfDataset(tx, dataset.dataset_key, projectsNamed);
    if (projects.length > 0) {
      throw new ApiError(
        'DATASET_IN_USE',
        `These projects use the dataset: ${projects.join(', ')}. Delete them with /delete-project first.`,
      );
    }
    return dataset;
  });
}
