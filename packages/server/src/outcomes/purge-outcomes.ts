import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { dayOf } from './log/keys.ts';
import { purgeOutcomes as purgeRows } from './rows/outcomes.ts';

const outcomeDays = 400;
const rowsPerStep = 1000;

/** Removes old outcomes. */
export function purgeOutcomes({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => (await purgeRows(db, dayOf(Date.now()) - outcomeDays, rowsPerStep)) === rowsPerStep;
}
