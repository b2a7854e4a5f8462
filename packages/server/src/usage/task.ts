import { claimPeriodicTask, endPeriodicStep } from '../kernel/postgres/periodic-tasks.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { purgeCallCounts } from './rows/call-counts.ts';
import { purgeDatasetSizes, recordDatasetSizes } from './rows/record-history.ts';

const callDays = 90;
const sizeDays = 400;
const rowsPerStep = 1000;

/** Removes old counts of calls and sizes of datasets, a step at a time. */
export function purgeUsage({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => {
    const calls = await purgeCallCounts(db, callDays, rowsPerStep);
    const sizes = await purgeDatasetSizes(db, sizeDays, rowsPerStep);
    return Math.max(calls, sizes) === rowsPerStep;
  };
}

const task = 'record dataset sizes';
const datasetsPerStep = 500;
/** The last round of a day is at most this long before its end. */
const roundSeconds = 600;
/** Longer than a step takes. After that, another worker continues from the same position. */
const claimSeconds = 60;

/** Every ten minutes, writes how many records each dataset has today, a step at a time. One worker at a time. */
export function recordSizes({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => {
    const step = await claimPeriodicTask(db, task, claimSeconds);
    if (!step) return false;
    const { last, datasets } = await recordDatasetSizes(db, Number(step.position ?? 0), datasetsPerStep);
    const hasMore = datasets === datasetsPerStep && last !== null;
    await endPeriodicStep(db, task, hasMore ? String(last) : null, hasMore ? 0 : roundSeconds);
    return hasMore;
  };
}
