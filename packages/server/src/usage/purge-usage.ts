import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { dayOf } from '../outcomes/log/keys.ts';
import { purgeOutcomes } from '../outcomes/rows/outcomes.ts';
import { purgeCallCounts } from './rows/call-counts.ts';
import { purgeDatasetSizes } from './rows/record-history.ts';

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
