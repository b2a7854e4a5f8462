import { statement } from '../kernel/postgres/statement.ts';
import type { TaskStep } from '../module.ts';
import { expireByAge } from '../projects/expire-by-age.ts';
import { type Expiring, listOld, lockRows, some } from '../projects/rows/retention.ts';
import type { Services } from '../services.ts';
import { deletedJobs, hasEnded } from './rows/jobs.ts';
import { expireResults as expireRows } from './rows/results.ts';

/** SQL: why job `j` stays. */
const jobUses = [
  some('models m WHERE m.job_key = j.job_key'),
  some('schedules s WHERE s.last_job_key = j.job_key'),
  some('schedules s WHERE s.follow_job_key = j.job_key'),
  // Results have a retention of their own.
  "(j.job_result -> 'files' -> 0) IS NOT NULL",
];

export const oldJobs: Expiring = {
  what: 'jobs',
  list: statement(
    'list_old_jobs',
    listOld(`jobs j WHERE ${hasEnded('j')} AND`, 'j.job_key', 'j.finished_at', jobUses),
  ),
  lock: statement('lock_old_jobs', lockRows('jobs', 'job_key')),
  delete: statement(
    'delete_old_jobs',
    `WITH ${deletedJobs(`WHERE j.job_key = ANY ($1::int[]) AND NOT (${jobUses.join(' OR ')})`)}
      SELECT count(*)::int AS removed FROM j`,
  ),
};

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
