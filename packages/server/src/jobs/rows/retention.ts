import { statement } from '../../kernel/postgres/statement.ts';
import { type Expiring, listOld, lockRows, some } from '../../projects/rows/retention.ts';
import { deletedJobs, hasEnded } from './jobs.ts';

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
