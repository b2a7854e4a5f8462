import { downloadsPath, type JobData, jobContracts, limits, type Response } from '@tastegraph/contract';
import { ApiError, requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { listPage } from '../http/pages.ts';
import { shareRead } from '../kernel/observability/metrics.ts';
import { getProject } from '../projects/get-project.ts';
import type { Services } from '../services.ts';
import { type Downloads, downloadUrl, openDownloads } from './downloads.ts';
import { announceEnd } from './engine/settle-attempt.ts';
import { jobsWaiting, longestWait } from './metrics.ts';
import {
  cancelJobRow,
  countWaitingJobs,
  deleteJobRow,
  findJob,
  findQueuePosition,
  type JobProgress,
  type JobRow,
  type ListedJobRow,
  listJobs,
} from './rows/jobs.ts';

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
      const { project_key } = await getProject(call, project_id);
      const { items, ...page } = await listPage(call, request, {
        name: `jobs ${project_id}`,
        rows: (bounds) => listJobs(call.db, project_key, request, bounds),
        keyOf: (row) => row.job_key,
        present: (row) => toListedJob(call, row),
      });
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
  const job = await requireJob(ctx, projectId, jobId);
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

async function requireJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  return requireFound(await findJob(ctx.db, ctx.accountId, projectId, jobId), 'Job', jobId, projectId);
}

/** When this returns, the job can no longer publish a result. A worker that runs it stops at its next heartbeat. */
async function cancelJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const canceled = await ctx.db.transaction(async (tx) => {
    const row = await cancelJobRow(tx, ctx.accountId, projectId, jobId);
    if (row) await announceEnd(tx, ctx.hooks, row.job_key);
    return row;
  });
  if (canceled) return canceled;
  const { job_status } = await requireJob(ctx, projectId, jobId);
  throw new ApiError(
    'JOB_NOT_CANCELABLE',
    `Job \`${jobId}\` has already ended: its status is ${job_status}. To delete it and its result, call /delete-job.`,
  );
}

/** Returns the deleted job. The files of its result are removed in the background; its model or deployment stays. */
async function deleteJob(ctx: Context, projectId: string, jobId: string): Promise<JobRow> {
  const deleted = await deleteJobRow(ctx.db, ctx.accountId, projectId, jobId);
  if (deleted) return deleted;
  const { job_status } = await requireJob(ctx, projectId, jobId);
  throw new ApiError(
    'JOB_NOT_ENDED',
    `Job \`${jobId}\` is ${job_status}. Cancel it with /cancel-job or wait until it ends, then delete it.`,
  );
}

/**
 * The result as the API returns it. URLs are signed on each call, so they are always valid for their full time. Lists
 * show only the first file: each of a thousand jobs may have a hundred charts or more.
 */
function showResult(
  downloads: Pick<Downloads, 'baseUrl' | 'secret'>,
  callerId: string,
  { job_id, job_result: result }: Pick<JobRow, 'job_id' | 'job_result'>,
  hasAllFiles: boolean,
): Response<'getJob'>['job_result'] {
  if (!result || !('files' in result)) return result;
  if (result.expired_ts !== undefined) {
    const on = new Date(result.expired_ts).toISOString().slice(0, 10);
    return {
      // The contract requires a URL. This one returns 404.
      download_url: `${downloads.baseUrl}${downloadsPath}/results/${job_id}/expired`,
      expired_at_sec: Math.floor(result.expired_ts / 1000),
      message: `The result was removed on ${on} because it expired or contained a user who was erased. Submit the job again to get a new result. If that is refused, train a new model first.`,
    };
  }
  // Computed before the URLs are signed, so that none of them expires earlier.
  const expired_at_sec = Math.floor(Date.now() / 1000) + limits.downloadSeconds;
  const files = hasAllFiles ? result.files : result.files.slice(0, 1);
  const signed = files.map((file) => ({ file, url: downloadUrl(downloads, file, callerId) }));
  const urls = signed.map(({ url }) => url);
  const [download_url = ''] = urls;
  const shown = { download_url, expired_at_sec, message: result.message };
  const counted = countOf(result);
  if (counted) return hasAllFiles ? { ...shown, download_urls: urls, ...counted } : { ...shown, ...counted };
  if (!hasAllFiles) return shown;
  const others = signed.slice(1).map(({ file, url }) => ({ kind: kindOf(file.content_type), url }));
  const urlOf = (kind: FileKind) => others.find((other) => other.kind === kind)?.url;
  const [map_url, table_url] = [urlOf('map'), urlOf('table')];
  return {
    ...shown,
    chart_urls: others.filter(({ kind }) => kind === 'chart').map(({ url }) => url),
    ...(map_url !== undefined && { map_url }),
    ...(table_url !== undefined && { table_url }),
  };
}

type FileKind = 'map' | 'chart' | 'table';

/** What a file beside the first one of an analysis is. */
function kindOf(contentType: string): FileKind {
  if (contentType === 'application/json') return 'map';
  return contentType === 'image/svg+xml' ? 'chart' : 'table';
}

/** How many records or users the files have, for job types whose files are all parts of one result. */
function countOf(
  result: object,
): { record_count: number; rejected_count?: number } | { user_count: number } | undefined {
  if ('record_count' in result)
    return {
      record_count: Number(result.record_count),
      ...('rejected_count' in result && { rejected_count: Number(result.rejected_count) }),
    };
  if ('user_count' in result) return { user_count: Number(result.user_count) };
  return undefined;
}
