import { repeat } from '../lib/repeat.ts';
import type { Log } from '../observability/log.ts';
import { dayOf } from '../storage/decisions/keys.ts';
import { purgeCallCounts } from '../storage/postgres/call-counts.ts';
import { purgeOutcomes } from '../storage/postgres/outcomes.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { purgeDatasetSizes } from '../storage/postgres/record-history.ts';

const callDays = 90;
const sizeDays = 400;
const outcomeDays = 400;
const rowsPerStep = 1000;
const pauseMs = 10 * 60_000;

/** Removes old counts of calls, sizes of datasets and outcomes, a step at a time, until `stopping`. */
export async function purgeUsage(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to remove old usage counts; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const calls = await purgeCallCounts(db, callDays, rowsPerStep);
    const sizes = await purgeDatasetSizes(db, sizeDays, rowsPerStep);
    const outcomes = await purgeOutcomes(db, dayOf(Date.now()) - outcomeDays, rowsPerStep);
    return Math.max(calls, sizes, outcomes) === rowsPerStep;
  });
}
