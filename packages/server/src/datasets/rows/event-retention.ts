import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, one } from '../../kernel/postgres/statement.ts';
import type { DatasetRow } from './datasets.ts';

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

/**
 * The dataset that has been due longest, locked for the transaction so that no other worker takes it. Uses
 * datasets_retention_due.
 */
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
