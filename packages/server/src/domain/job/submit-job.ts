import { limits } from '@tastegraph/contract';
import { findNextTurn, insertJob, type JobRow } from '../../storage/postgres/jobs.ts';
import type { Transaction } from '../../storage/postgres/pool.ts';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { newId } from '../ids.ts';

/**
 * The job's row and its first delivery, in one transaction: neither is ever there without the other. The caller holds the
 * account's row.
 *
 * Turns make it fair between accounts (start-time fair queueing, Goyal et al. 1996): a job's turn is the one being served,
 * or one after the account's last live job, whichever is later. Of an account's hundred jobs, each has a turn of its
 * own; another account's first job has the turn being served, and so waits for at most one job of each other account.
 */
export async function submitJob(
  ctx: Context,
  tx: Transaction,
  projectKey: number,
  job: Pick<JobRow, 'job_type' | 'name' | 'job_data'>,
): Promise<{ job_id: string }> {
  const { turn, live } = await findNextTurn(tx, ctx.accountId, job.job_type);
  if (live >= limits.liveJobs) {
    throw new Fault(
      'QUOTA_EXCEEDED',
      `The account has ${live} jobs that wait or run, which is the most. Wait for some to end, or cancel some with /cancel-job.`,
    );
  }
  const job_id = newId('job');
  const jobKey = await insertJob(tx, ctx.accountId, projectKey, { ...job, job_id, turn });
  await ctx.queue.send(tx, { jobType: job.job_type, jobKey, attempt: 0 }, { turn, afterSeconds: 0 });
  return { job_id };
}
