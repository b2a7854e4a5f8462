import { limits } from '@tastegraph/contract';
import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { findJob, findQueuePosition, type JobProgress, type JobRow } from './rows/jobs.ts';

/** Several heartbeats. A worker without one for this long is considered gone. */
const workerSeenSeconds = 30;

/** The progress of a waiting job says what it waits for. */
export async function getJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const job = requireJob(await findJob(ctx.db, ctx.accountId, projectId, jobId), projectId, jobId);
  return job.job_status === 'PENDING' ? { ...job, progress: await explainWaiting(ctx, job) } : job;
}

async function explainWaiting(ctx: Context, job: JobRow): Promise<JobProgress> {
  const waiting = (message: string) => ({ stage: 'waiting', fraction: 0, message });
  const { ahead, has_workers } = await findQueuePosition(ctx.db, ctx.accountId, job, workerSeenSeconds);
  if (!has_workers)
    return waiting(
      'No worker is running. Start one with "tastegraph-server worker"; the job then starts automatically.',
    );
  if (job.retry_count > 0 && job.due_ts > Date.now())
    return waiting(
      `Retry ${job.retry_count} of ${limits.jobRetries} starts at ${new Date(job.due_ts).toISOString()}.`,
    );
  // Counts only the account's own jobs, so that the number reveals nothing about other accounts.
  const before = ahead === 0 ? '' : ` ${ahead} of your jobs ${ahead === 1 ? 'is' : 'are'} ahead of this job.`;
  return waiting(`Waiting for a free worker.${before}`);
}

export function requireJob(job: JobRow | undefined, projectId: string, jobId: string): JobRow {
  if (!job) throw notFound('Job', jobId, projectId);
  return job;
}
