import type { Downloads } from '../../domain/download/find-download.ts';
import { cancelJob } from '../../domain/job/cancel-job.ts';
import { getJob } from '../../domain/job/get-job.ts';
import { listJobs } from '../../domain/job/list-jobs.ts';
import { showResult } from '../../domain/job/show-result.ts';
import { submitClustering } from '../../domain/job/submit-clustering.ts';
import { submitDeployment } from '../../domain/job/submit-deployment.ts';
import { submitQuerying } from '../../domain/job/submit-querying.ts';
import { submitTraining } from '../../domain/job/submit-training.ts';
import { checkTraining } from '../../domain/training-check/check-training.ts';
import type { Handlers } from '../handlers.ts';

type JobRow = Awaited<ReturnType<typeof getJob>>;

/** A deployment's qps is the project's to show. */
function jobData(row: JobRow) {
  if (row.job_type !== 'DEPLOYMENT') return row.job_data;
  const { generator_model_id, ranker_model_id } = row.job_data;
  return { generator_model_id, ranker_model_id };
}

/** As the API shows it: without our keys. */
const shown = async (downloads: Downloads, row: JobRow, hasCharts: boolean) => ({
  project_id: row.project_id,
  job_id: row.job_id,
  job_type: row.job_type,
  created_ts: row.created_ts,
  name: row.name,
  job_data: jobData(row),
  job_result: await showResult(downloads, row, hasCharts),
  job_status: row.job_status,
  retry_count: row.retry_count,
  error: row.error,
  progress: row.progress,
  started_ts: row.started_ts,
  finished_ts: row.finished_ts,
});

export function jobHandlers(downloads: Downloads) {
  const job = (row: JobRow) => shown(downloads, row, true);
  const listed = (row: JobRow) => shown(downloads, row, false);
  return {
    checkTraining: async (call, request) => checkTraining(call, request),
    submitTrainingJob: async (call, request) => submitTraining(call, request),
    submitDeploymentJob: async (call, request) => submitDeployment(call, request),
    submitQueryingJob: async (call, request) => submitQuerying(call, request),
    submitClusteringJob: async (call, request) => submitClustering(call, request),
    getJob: async (call, { project_id, job_id }) => job(await getJob(call, project_id, job_id)),
    listJobs: async (call, { project_id, ...request }) => {
      const { items, next_page_token } = await listJobs(call, project_id, request, listed);
      return { jobs: await Promise.all(items), next_page_token };
    },
    cancelJob: async (call, { project_id, job_id }) => job(await cancelJob(call, project_id, job_id)),
  } as const satisfies Handlers;
}
