import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { stepRows } from './records/delete-records.ts';
import { deleteEventsBetween } from './rows/events.ts';
import { claimExpiringDataset, type ExpiringDataset, updateRetentionDue } from './rows/purge.ts';

/** Retention is in days, so an hour more does not matter. */
const roundSeconds = 3600;
/** After a step that failed, so that other datasets do not wait for it. */
const retrySeconds = 60;
/** A step is 5000 events: a line of the log for each would be too many. */
const logMs = 60_000;

/** Deletes what is older than its dataset's retention. Each step claims a dataset, so several workers may run it. */
export function expireEvents({ db, log, stopping }: Pick<Services, 'db' | 'log' | 'stopping'>): TaskStep {
  const expired = new ExpiredCounts(log);
  return async () => {
    try {
      const step = await expireNext(db);
      if (step) expired.add(step);
      else expired.write();
      return step !== undefined;
    } finally {
      if (stopping.aborted) expired.write();
    }
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
