import type { DatasetKind } from '@tastegraph/contract';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { none, one } from '../kernel/postgres/statement.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { partitionTable } from './rows/datasets.ts';
import { deleteOldItemChanges } from './rows/item-changes.ts';

interface DeletedDatasetRow {
  readonly dataset_key: number;
  readonly kind: DatasetKind;
  readonly partition: number;
}

/** A deleted dataset with records left, locked for the transaction so that no other worker purges it. */
export const claimDeletedDataset = one<[], DeletedDatasetRow>(
  'claim_deleted_dataset',
  `SELECT dataset_key, kind, partition FROM datasets
    WHERE deleted_at IS NOT NULL ORDER BY dataset_key LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

const idColumns = { event: 'event_id', user: 'user_id', item: 'item_id' } as const;

/**
 * Deletes up to `limit` records of a deleted dataset after `afterId`, by primary key. Returns the last ID, where the
 * next call continues: starting over would scan all dead index entries again. Undefined only at the end, not when a
 * concurrent delete removed everything that was selected.
 */
export async function deleteRecordsAfter(
  db: Queryable,
  dataset: DeletedDatasetRow,
  afterId: string,
  limit: number,
): Promise<string | undefined> {
  const table = partitionTable(dataset);
  const id = idColumns[dataset.kind];
  const [row] = await db.rows<{ last_id: string | null }>(
    {
      name: `purge_${table}`,
      text: `WITH picked AS MATERIALIZED (
          SELECT ctid, ${id} AS id FROM ${table} WHERE dataset_key = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3
        ), deleted AS (
          DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked))
        ) SELECT max(id) AS last_id FROM picked`,
    },
    [dataset.dataset_key, afterId, limit],
  );
  return row?.last_id ?? undefined;
}

/** Removes the dataset's row, once its records are deleted, with its counts and changes. */
export const deleteDatasetRow = none<[datasetKey: number]>(
  'delete_dataset_row',
  `WITH changes AS (DELETE FROM item_changes WHERE dataset_key = $1)
    DELETE FROM datasets WHERE dataset_key = $1 AND deleted_at IS NOT NULL`,
);

/** As for deletes that callers wait for: transactions of about 50 ms. */
const rowsPerStep = 5000;

/**
 * Removes the records of deleted datasets of any size in the background. Nothing waits for this,
 * since the records are invisible. Each step claims its dataset, so several workers may run it.
 */
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
