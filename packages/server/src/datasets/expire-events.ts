import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { epochMs } from '../kernel/postgres/sql-fragments.ts';
import { none, one } from '../kernel/postgres/statement.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { stepRows } from './records/delete-records.ts';
import type { DatasetRow } from './rows/datasets.ts';
import { deleteEventsBetween } from './rows/events.ts';

/** A dataset whose old events are to be deleted. */
interface ExpiringDataset extends Pick<DatasetRow, 'dataset_key' | 'dataset_id' | 'partition'> {
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

/** Retention is in days, so an hour more does not matter. */
const roundSeconds = 3600;
/** After a step that failed, so that other datasets do not wait for it. */
const retrySeconds = 60;
/** A step is 5000 events: a line of the log for each would be too many. */
const logMs = 60_000;

/**
 * Deletes events that are older than the retention of their dataset. Each step claims its dataset, so several
 * workers may run it.
 */
export function expireEvents({ db, log }: Pick<Services, 'db' | 'log'>): TaskStep {
  const expired = new ExpiredCounts(log);
  return async () => {
    const step = await expireNext(db);
    if (step) expired.add(step);
    else expired.write();
    return step !== undefined;
  };
}

interface ExpiryStep {
  readonly dataset: ExpiringDataset;
  readonly deleted: number;
}

/** Deletes up to `limit` expired events of the dataset that has been due longest. Undefined if none is due. */
export async function expireNext(db: Database, limit = stepRows): Promise<ExpiryStep | undefined> {
  let claimed: ExpiringDataset | undefined;
  try {
    return await db.transaction(async (tx) => {
      const dataset = await claimExpiringDataset(tx);
      claimed = dataset;
      if (!dataset) return undefined;
      const { from_ts, before_ts } = dataset;
      const { deleted, reachedTs } = await deleteEventsBetween(
        tx,
        dataset,
        from_ts,
        before_ts,
        limit,
        'retention',
      );
      await updateRetentionDue(tx, dataset, reachedTs === undefined ? roundSeconds : 0, reachedTs);
      return { dataset, deleted };
    });
  } catch (error) {
    // Otherwise it would be claimed first again, and the other datasets would wait.
    if (claimed) await updateRetentionDue(db, claimed, retrySeconds, claimed.from_ts).catch(() => undefined);
    throw error;
  }
}

/** How many events were deleted, by dataset, for the log. */
class ExpiredCounts {
  readonly #log: Log;
  readonly #counts = new Map<string, { readonly account_id: string; events: number }>();
  #since = performance.now();

  constructor(log: Log) {
    this.#log = log;
  }

  add({ dataset: { dataset_id, account_id }, deleted }: ExpiryStep): void {
    const count = this.#counts.get(dataset_id) ?? { account_id, events: 0 };
    count.events += deleted;
    this.#counts.set(dataset_id, count);
    if (performance.now() - this.#since > logMs) this.write();
  }

  write(): void {
    for (const [dataset_id, { account_id, events }] of this.#counts)
      if (events > 0) this.#log.info({ dataset_id, account_id, events }, 'deleted expired events');
    this.#counts.clear();
    this.#since = performance.now();
  }
}
