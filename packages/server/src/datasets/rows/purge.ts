import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, one } from '../../kernel/postgres/statement.ts';
import { type Dataset, type DatasetRow, perPartition } from './datasets.ts';

/** A deleted dataset with records left, locked for the transaction so that no other worker purges it. */
export const claimDeletedDataset = one<[], Dataset>(
  'claim_deleted_dataset',
  `SELECT dataset_key, kind, partition FROM datasets
    WHERE deleted_at IS NOT NULL ORDER BY dataset_key LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

const deleteAfter = perPartition<[afterId: string, limit: number], { last_id: string | null }>(
  'purge',
  (table, id) => `WITH picked AS MATERIALIZED (
      SELECT ctid, ${id} AS id FROM ${table} WHERE dataset_key = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3
    ), deleted AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked))
    ) SELECT max(id) AS last_id FROM picked`,
);

/**
 * Deletes up to `limit` records of a deleted dataset after `afterId`, by primary key. Returns the last ID, where the
 * next call continues: starting over would scan all dead index entries again. Undefined only at the end, not when a
 * concurrent delete removed everything that was selected.
 */
export async function deleteRecordsAfter(
  db: Queryable,
  dataset: Dataset,
  afterId: string,
  limit: number,
): Promise<string | undefined> {
  const [row] = await deleteAfter(db, dataset, afterId, limit);
  return row?.last_id ?? undefined;
}

/** Removes the dataset's row, once its records are deleted, with its counts and changes. */
export const deleteDatasetRow = none<[datasetKey: number]>(
  'delete_dataset_row',
  `WITH changes AS (DELETE FROM item_changes WHERE dataset_key = $1)
    DELETE FROM datasets WHERE dataset_key = $1 AND deleted_at IS NOT NULL`,
);

/** A dataset whose old events are to be deleted. */
export interface ExpiringDataset extends Pick<DatasetRow, 'dataset_key' | 'dataset_id' | 'partition'> {
  readonly kind: 'event';
  readonly account_id: string;
  /** Where the step before stopped; 0 at the start of a round. */
  readonly from_ts: number;
  /** Older events are deleted. By the clock of the database, for all workers. */
  readonly before_ts: number;
}

// now() instead of clock_timestamp(), which cannot be a condition of an index.

/** The one that has been due longest, locked so that no other worker takes it. Uses datasets_retention_due. */
export const claimExpiringDataset = one<[], ExpiringDataset>(
  'claim_expiring_dataset',
  `SELECT d.dataset_key, d.dataset_id, d.account_id, d.kind, d.partition, coalesce(d.retention_from_ts, 0)::float8 AS from_ts,
      ${epochMs('now()')} - d.retention_days * 86400000::float8 AS before_ts
    FROM datasets d
    WHERE d.retention_due_at <= now() AND d.deleted_at IS NULL
    ORDER BY d.retention_due_at LIMIT 1 FOR NO KEY UPDATE OF d SKIP LOCKED`,
);

/** When the next step of a claimed dataset is due, and where it begins: `fromTs` is undefined at the end of a round. */
export const updateRetentionDue = none<[dataset: ExpiringDataset, afterSeconds: number, fromTs?: number]>(
  'update_retention_due',
  `UPDATE datasets SET retention_due_at = clock_timestamp() + $2 * interval '1 second', retention_from_ts = $3::bigint
    WHERE dataset_key = $1 AND retention_days IS NOT NULL`,
  ({ dataset_key }, afterSeconds, fromTs) => [dataset_key, afterSeconds, fromTs ?? null],
);
