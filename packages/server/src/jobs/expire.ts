import type { TaskStep } from '../module.ts';
import { expireByAge } from '../projects/expire-by-age.ts';
import type { Services } from '../services.ts';
import { expireResults as expireRows } from './rows/results.ts';
import { oldJobs } from './rows/retention.ts';

export const expireJobs = (services: Services): TaskStep =>
  expireByAge(oldJobs, services, services.config.jobs.jobDays);

/** An analysis has at most 101 files, and an export one per 256 MiB, so the transaction stays short. */
const jobsPerStep = 50;

/** Removes the results of jobs that are older than RESULT_RETENTION_DAYS. */
export function expireResults({ db, log, config }: Pick<Services, 'db' | 'log' | 'config'>): TaskStep {
  const days = config.jobs.resultDays;
  return async () => {
    const expired = await expireRows(db, days, jobsPerStep);
    if (expired.length > 0) log.info({ jobs: expired.length, days }, 'expired old results');
    return expired.length === jobsPerStep;
  };
}
