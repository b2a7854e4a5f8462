import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { purgeCallCounts } from './rows/call-counts.ts';
import { purgeDatasetSizes } from './rows/record-history.ts';

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
