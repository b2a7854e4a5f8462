import { type JobData, jobContracts, limits } from '@tastegraph/contract';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { shareRead } from '../kernel/observability/metrics.ts';
import { getProject } from '../projects/get-project.ts';
import type { Services } from '../services.ts';
import { type Downloads, openDownloads } from './downloads/downloads.ts';
import { announceEnd } from './engine/settle-attempt.ts';
import { jobsWaiting, longestWait } from './metrics.ts';
import {
  cancelJobRow,
  countWaitingJobs,
  deleteJobRow,
  findJob,
  findQueuePosition,
  type JobFilter,
  type JobProgress,
  type JobRow,
  type ListedJobRow,
  listJobs as listRows,
} from './rows/jobs.ts';
import { showResult } from './show-result.ts';

/** Without fields that are stored but not part of the contract, such as a deployment's `qps`. */
function dataOf({ job_type, job_data }: Pick<JobRow, 'job_type' | 'job_data'>): JobData {
  const contractFields = Object.keys(jobContracts[job_type].data.properties);
  const stored = job_data as Record<string, unknown>;
  if (Object.keys(stored).every((field) => contractFields.includes(field))) return job_data;
  return Object.fromEntries(contractFields.map((field) => [field, stored[field]])) as JobData;
}

/** A job as the API returns it, without internal keys. */
const commonFields = (
  downloads: Downloads,
  call: Context,
  row: JobRow | ListedJobRow,
  hasAllFiles: boolean,
) => ({
  project_id: row.project_id,
  job_id: row.job_id,
  job_type: row.job_type,
  created_ts: row.created_ts,
  name: row.name,
  job_result: showResult(downloads, call.callerId, row, hasAllFiles),
  job_status: row.job_status,
  retry_count: row.retry_count,
  error: row.error,
  progress: row.progress,
  started_ts: row.started_ts,
  finished_ts: row.finished_ts,
});

/** Reported here and not by the workers, because it matters most when no worker is running. */
function watchWaitingJobs({ db, metrics }: Pick<Services, 'db' | 'metrics'>): void {
  const read = shareRead(() => countWaitingJobs(db));
  metrics.watch(jobsWaiting, async () =>
    (await read()).map(({ job_type: type, jobs }) => ({ labels: { type }, value: jobs })),
  );
  metrics.watch(longestWait, async () =>
    (await read()).map(({ job_type: type, seconds }) => ({ labels: { type }, value: seconds })),
  );
}

export async function api(services: Pick<Services, 'db' | 'store' | 'config' | 'metrics'>) {
  const { db, store, config } = services;
  watchWaitingJobs(services);
  const downloads = await openDownloads(db, store, config.baseUrl);
  const toJob = (call: Context, row: JobRow) => ({
    ...commonFields(downloads, call, row, true),
    job_data: dataOf(row),
  });
  const toListedJob = (call: Context, row: ListedJobRow) => ({
    ...commonFields(downloads, call, row, false),
    job_data: row.job_data && dataOf({ job_type: row.job_type, job_data: row.job_data }),
    omitted: row.omitted,
  });
  return {
    getJob: async (call, { project_id, job_id }) => toJob(call, await getJob(call, project_id, job_id)),
    listJobs: async (call, { project_id, ...request }) => {
      const { items, ...page } = await listJobs(call, project_id, request, (row) => toListedJob(call, row));
      return { jobs: items, ...page };
    },
    cancelJob: async (call, { project_id, job_id }) => toJob(call, await cancelJob(call, project_id, job_id)),
    deleteJob: async (call, { project_id, job_id }) => toJob(call, await deleteJob(call, project_id, job_id)),
  } as const satisfies Handlers;
}

/** Several heartbeats. A worker without one for this long is considered gone. */
const workerSeenSeconds = 30;

/** The progress of a waiting job says what it waits for. */
async function getJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
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

function requireJob(job: JobRow | undefined, projectId: string, jobId: string): JobRow {
  if (!job) throw notFound('Job', jobId, projectId);
  return job;
}

async function listJobs<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest & JobFilter,
  present: (row: ListedJobRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `jobs ${projectId}`,
    rows: (bounds) => listRows(ctx.db, project_key, request, bounds),
    keyOf: (row) => row.job_key,
    present,
  });
}

/** When this returns, the job can no longer publish a result. A worker that runs it stops at its next heartbeat. */
async function cancelJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
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

/** Returns the deleted job. The files of its result are removed in the background; its model or deployment stays. */
async function deleteJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const deleted = await deleteJobRow(ctx.db, ctx.accountId, projectId, jobId);
  if (deleted) return deleted;
  const { job_status } = requireJob(await findJob(ctx.db, ctx.accountId, projectId, jobId), projectId, jobId);
  throw new ApiError(
    'JOB_NOT_ENDED',
    `Job \`${jobId}\` is ${job_status}. Cancel it with /cancel-job or wait until it ends, then delete it.`,
  );
}
