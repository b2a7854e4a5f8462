import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { requireJob } from './get-job.ts';
import { deleteJobRow, findJob, type JobRow } from './rows/jobs.ts';

/** Returns the deleted job. The files of its result are removed in the background; its model or deployment stays. */
export async function deleteJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const deleted = await deleteJobRow(ctx.db, ctx.accountId, projectId, jobId);
  if (deleted) return deleted;
  const { job_status } = requireJob(await findJob(ctx.db, ctx.accountId, projectId, jobId), projectId, jobId);
  throw new ApiError(
    'JOB_NOT_ENDED',
    `Job \`${jobId}\` is ${job_status}. Cancel it with /cancel-job or wait until it ends, then delete it.`,
  );
}
