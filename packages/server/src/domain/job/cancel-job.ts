import { cancelJobRow, findJob, type JobRow } from '../../storage/postgres/jobs.ts';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { foundJob } from './get-job.ts';

/** Canceled when this answers: no result is published any more. A worker that is at it stops at its next heartbeat. */
export async function cancelJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const canceled = await cancelJobRow(ctx.db, ctx.accountId, projectId, jobId);
  if (canceled) return canceled;
  const { job_status } = foundJob(await findJob(ctx.db, ctx.accountId, projectId, jobId));
  throw new Fault('JOB_NOT_CANCELABLE', `The job has ended already: it is ${job_status}.`);
}
