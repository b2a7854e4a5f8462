import { limits } from '@tastegraph/contract';
import { findJob, findWaiting, type JobProgress, type JobRow } from '../../storage/postgres/jobs.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';

/** Several heartbeats of a worker; a worker that was not seen for so long is not there. */
const workerSeenSeconds = 30;

/** The job of the account's project, or NOT_FOUND. One that waits says what for. */
export async function getJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const job = foundJob(await findJob(ctx.db, ctx.accountId, projectId, jobId));
  return job.job_status === 'PENDING' ? { ...job, progress: await explainWaiting(ctx, job) } : job;
}

async function explainWaiting(ctx: Context, job: JobRow): Promise<JobProgress> {
  const waiting = (message: string) => ({ stage: 'waiting', fraction: 0, message });
  const { ahead, has_workers } = await findWaiting(ctx.db, job, workerSeenSeconds);
  if (!has_workers)
    return waiting(
      'No worker is running. Start one with "tastegraph-server worker"; the job begins by itself then.',
    );
  if (job.retry_count > 0 && job.due_ts > Date.now())
    return waiting(
      `Retry ${job.retry_count} of ${limits.jobRetries} begins at ${new Date(job.due_ts).toISOString()}.`,
    );
  return waiting(ahead === 0 ? 'It is next.' : `${ahead} ${ahead === 1 ? 'job is' : 'jobs are'} before it.`);
}

export function foundJob(job: JobRow | undefined): JobRow {
  if (!job) throw notFound('job');
  return job;
}
