import { repeat } from '../lib/repeat.ts';
import type { Log } from '../observability/log.ts';
import { purgeCallCounts } from '../storage/postgres/call-counts.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { purgeDatasetSizes } from '../storage/postgres/record-history.ts';

const callDays = 90;
const sizeDays = 400;
const rowsPerStep = 1000;
const pauseMs = 10 * 60_000;

/** Removes old counts of calls and sizes of datasets, a step at a time, until `stopping`. */
export async function purgeUsage(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to remove old usage counts; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const calls = await purgeCallCounts(db, callDays, rowsPerStep);
    const sizes = await purgeDatasetSizes(db, sizeDays, rowsPerStep);
    return Math.max(calls, sizes) === rowsPerStep;
  });
}
