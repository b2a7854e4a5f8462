import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { announceEnd } from './announce-end.ts';
import { requireJob } from './get-job.ts';
import { cancelJobRow, findJob, type JobRow } from './rows/jobs.ts';

/** When this returns, the job can no longer publish a result. A worker that runs it stops at its next heartbeat. */
export async function cancelJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const canceled = await ctx.db.transaction(async (tx) => {
    const row = await cancelJobRow(tx, ctx.accountId, projectId, jobId);
    if (row) await announceEnd(tx, ctx.hooks, row.job_key);
    return row;
  });
  if (canceled) return canceled;
  const { job_status } = requireJob(await findJob(ctx.db, ctx.accountId, projectId, jobId), projectId, jobId);
  throw new ApiError(
    'JOB_NOT_CANCELABLE',
    `Job \`${jobId}\` has already ended: its status is ${job_status}. To delete it and its result, call /delete-job.`,
  );
}
