import { type JobData, jobContracts } from '@tastegraph/contract';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { shareRead } from '../kernel/observability/metrics.ts';
import type { Services } from '../services.ts';
import { cancelJob } from './cancel-job.ts';
import { deleteJob } from './delete-job.ts';
import { type Downloads, openDownloads } from './downloads/downloads.ts';
import { getJob } from './get-job.ts';
import { listJobs } from './list-jobs.ts';
import { jobsWaiting, longestWait } from './metrics.ts';
import { countWaitingJobs } from './rows/jobs.ts';
import { showResult } from './show-result.ts';

type JobRow = Awaited<ReturnType<typeof getJob>>;
type ListedJobRow = Parameters<Parameters<typeof listJobs>[3]>[0];

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
