import { userListExample } from '../jobs/querying.ts';
import { submitExamples } from '../jobs/registry.ts';
import type { jobOperations } from '../operations/jobs.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const trained = {
  project_id: ids.project,
  job_id: ids.training,
  job_type: 'TRAINING',
  created_ts: morning,
  name: 'Monday',
  job_data: { algorithm_type: 'G1', algorithm_parameters: {} },
  job_result: { model_id: ids.model },
  job_status: 'SUCCEED',
  retry_count: 0,
  error: null,
  progress: { stage: 'done', fraction: 1, message: null },
  started_ts: morning + 400,
  finished_ts: morning + minute,
} as const;
const deploying = {
  ...trained,
  job_id: ids.deployment,
  job_type: 'DEPLOYMENT',
  created_ts: morning + 11 * minute,
  job_data: { generator_model_id: ids.model, ranker_model_id: null },
  job_result: null,
  job_status: 'PENDING',
  progress: { stage: 'waiting', fraction: 0, message: 'Waiting for a free worker.' },
  started_ts: null,
  finished_ts: null,
} as const;
const queried = {
  ...trained,
  job_id: ids.querying,
  job_type: 'QUERYING' as const,
  created_ts: morning + 20 * minute,
  name: userListExample.name,
  job_data: {
    model_id: ids.model,
    query_type: userListExample.query_type,
    queries: userListExample.queries,
  },
  job_result: {
    download_url: `https://api.example.com/downloads/results/${ids.querying}/users.ndjson?signature=…`,
    expired_at_sec: (morning + 1440 * minute) / 1000,
    message: null,
    chart_urls: [],
  },
  started_ts: morning + 20 * minute,
  finished_ts: morning + 21 * minute,
};
const jobRef = { project_id: ids.project, job_id: ids.training };

export const jobExamples: Examples<keyof typeof jobOperations> = {
  checkTraining: {
    request: { project_id: ids.project, algorithm_id: ids.algorithm },
    response: {
      can_train: true,
      sampled: false,
      counts: {
        events: 37_595,
        target_events: 8120,
        users: 4870,
        users_with_one_event: 310,
        items: 1190,
        items_without_record: 4,
        user_records: 5000,
        item_records: 1200,
      },
      event_types: [
        { event_type: 'view', count: 29_475, is_target: false },
        { event_type: 'buy', count: 8120, is_target: true },
      ],
      first_ts: morning - 129_600 * minute,
      last_ts: morning,
      findings: [
        {
          severity: 'INFO',
          code: 'ITEMS_WITHOUT_RECORD',
          message: '4 items have events but no record, and are never recommended. Import them.',
        },
      ],
      not_checked: [],
      estimate: { seconds: 6, memory_bytes: 268_435_456, basis: '37595 events, 1190 items, 2 threads' },
    },
  },
  ...submitExamples,
  getJob: { request: jobRef, response: trained },
  listJobs: {
    request: { project_id: ids.project, job_type: 'QUERYING' },
    response: { jobs: [{ ...queried, omitted: [] }], next_page_token: null, message: null },
  },
  cancelJob: {
    request: { project_id: ids.project, job_id: ids.deployment },
    response: { ...deploying, job_status: 'CANCELED', finished_ts: morning + 12 * minute },
  },
  deleteJob: {
    request: { project_id: ids.project, job_id: ids.deployment },
    response: { ...deploying, job_status: 'CANCELED', finished_ts: morning + 12 * minute },
  },
};
