import { expiring, some } from '../../projects/rows/retention.ts';
import { deletedJobs, hasEnded } from './jobs.ts';

/** SQL: why job `j` stays. */
const jobUses = [
  some('models m WHERE m.job_key = j.job_key'),
  some('schedules s WHERE s.last_job_key = j.job_key'),
  some('schedules s WHERE s.follow_job_key = j.job_key'),
  // Results have a retention of their own.
  "(j.job_result -> 'files' -> 0) IS NOT NULL",
];

export const oldJobs = expiring('jobs', {
  rows: `jobs j WHERE ${hasEnded('j')} AND`,
  key: 'job_key',
  age: 'j.finished_at',
  uses: jobUses,
  deletion: `WITH ${deletedJobs(`WHERE j.job_key = ANY ($1::int[]) AND NOT (${jobUses.join(' OR ')})`)}
      SELECT count(*)::int AS removed FROM j`,
});
