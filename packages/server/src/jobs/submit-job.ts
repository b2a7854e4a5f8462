import { limits } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import { findNextFairRank, insertJob, type JobRow } from './rows/jobs.ts';

/**
 * Inserts the job's row and its first delivery in one transaction, so that neither exists without the other. The caller
 * holds the account's lock.
 *
 * The fair rank (column `turn`) makes queueing fair between accounts (start-time fair queueing, Goyal et al. 1996): it
 * is the rank being served, or one more than the rank of the account's last live job, whichever is higher. An account's
 * hundred jobs get a hundred ranks; another account's first job gets the rank being served, and so waits for at most
 * one job of each other account.
 */
export async function submitJob(
  ctx: Context,
  tx: Transaction,
  projectKey: number,
  job: Pick<JobRow, 'job_type' | 'name' | 'job_data'>,
): Promise<{ job_id: string }> {
  const { turn: fairRank, live } = await findNextFairRank(tx, ctx.accountId, job.job_type);
  if (live >= limits.liveJobs) {
    throw new ApiError(
      'QUOTA_EXCEEDED',
      `The account has ${live} waiting or running jobs, which is the maximum. Wait for some to end, or cancel some with /cancel-job.`,
    );
  }
  const job_id = newId('job');
  const { job_key: jobKey } = await insertJob(tx, ctx.accountId, projectKey, {
    ...job,
    job_id,
    turn: fairRank,
  });
  const order = { group: ctx.accountId, fairRank, afterSeconds: 0 };
  await ctx.queue.send(tx, { jobType: job.job_type, jobKey, attempt: 0 }, order);
  return { job_id };
}
