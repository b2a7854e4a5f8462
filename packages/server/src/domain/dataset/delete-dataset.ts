import type { DatasetKind } from '@tastegraph/contract';
import { type DatasetRow, datasetLockKey, markDatasetDeleted } from '../../storage/postgres/datasets.ts';
import { listProjectIdsOfDataset } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { Fault, notFound } from '../fault.ts';

/** As many as a person can do something about at once. */
const projectsNamed = 10;

/**
 * Answers the dataset as it last was. Nobody sees it from then on; its records are purged in the background by
 * `jobs/purge-datasets.ts`, at any size.
 */
export async function deleteDataset(ctx: Context, kind: DatasetKind, datasetId: string): Promise<DatasetRow> {
  return ctx.db.transaction(async (tx) => {
    // Alone: a write under way ends first and is purged with the rest, one that comes later finds nothing.
    await tx.lock(datasetLockKey(ctx.accountId, datasetId), 'exclusive');
    const dataset = await markDatasetDeleted(tx, ctx.accountId, kind, datasetId);
    if (!dataset) throw notFound(`${kind} dataset`);
    const projects = await listProjectIdsOfDataset(tx, dataset.dataset_key, projectsNamed);
    if (projects.length > 0) {
      throw new Fault(
        'DATASET_IN_USE',
        `Projects refer to the dataset: ${projects.join(', ')}. Delete them first.`,
      );
    }
    return dataset;
  });
}
