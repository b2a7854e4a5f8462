import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { expireResults as expireRows } from './rows/results.ts';

/** An analysis has at most 101 files, and an export one per 256 MiB, so the transaction stays short. */
const jobsPerStep = 50;
/** Results are kept for days, so a minute more does not matter. */
const pauseMs = 60_000;

/** Removes the results of jobs that are older than `days` days, until `stopping`. */
export async function expireResults(
  db: Database,
  days: number,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to expire old results; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const expired = await expireRows(db, days, jobsPerStep);
    if (expired.length > 0) log.info({ jobs: expired.length, days }, 'expired old results');
    return expired.length === jobsPerStep;
  });
}
