import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected, count, none } from '../kernel/postgres/statement.ts';

const countJobs = count<[accountId: string]>(
  'count_jobs_of_account',
  'SELECT count(*)::int FROM jobs WHERE account_id = $1',
);

const cancelJobs = none<[accountId: string]>(
  'cancel_jobs_of_account',
  `UPDATE jobs SET job_status = 'CANCELED', finished_at = clock_timestamp()
    WHERE account_id = $1 AND job_status IN ('PENDING', 'RUNNING')`,
);

const removeJobs = affected<[accountId: string, limit: number]>(
  'remove_account_jobs',
  `WITH removed AS (
      DELETE FROM jobs WHERE job_key = ANY (ARRAY(
        SELECT job_key FROM jobs WHERE account_id = $1 ORDER BY job_key LIMIT $2)) RETURNING job_key, job_result
    ), orphaned AS (
      INSERT INTO loose_objects (object_key)
        SELECT file->>'object_key' FROM removed, jsonb_array_elements(removed.job_result->'files') AS file
        ON CONFLICT DO NOTHING
    ) SELECT job_key FROM removed`,
);

export const account: AccountContents = {
  count: async (db, accountId) => ({ jobs: await countJobs(db, accountId) }),
  stop: cancelJobs,
  remove: removeInOrder({ jobs: removeJobs }),
};
