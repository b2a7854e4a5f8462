import Type, { type Static, type TSchema } from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import { type JobType, jobTypes, type SubmitName, submitNameOf } from '../endpoints.ts';
import type { ErrorCode } from '../errors.ts';
import {
  Closed,
  Id,
  Name,
  Named,
  NamedObject,
  Nullable,
  NullableTs,
  Page,
  PageQuery,
  Ts,
} from '../fields.ts';
import { JobSubmitted, type JobTypeContract } from '../job-type.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { clustering, querying, userListExample } from './analyses.ts';
import { recommending } from './batches.ts';
import { deployment } from './deployments.ts';
import { exporting } from './exports.ts';
import { importing } from './imports.ts';
import { training } from './training.ts';

/** All job types. A `submit…Job` endpoint without an entry here, or the reverse, does not compile. */
export const jobContracts = {
  TRAINING: training,
  DEPLOYMENT: deployment,
  QUERYING: querying,
  CLUSTERING: clustering,
  EXPORT: exporting,
  IMPORT: importing,
  RECOMMENDING: recommending,
} as const satisfies Record<JobType, JobTypeContract>;

type Contracts = typeof jobContracts;
export type JobData<Type extends JobType = JobType> = { [T in Type]: Static<Contracts[T]['data']> }[Type];
export type JobResult<Type extends JobType = JobType> = { [T in Type]: Static<Contracts[T]['result']> }[Type];
export type SubmitRequest<Type extends JobType = JobType> = {
  [T in Type]: Static<Contracts[T]['submit']['request']>;
}[Type];

/** Under the name of each submit operation, what `of` returns for its job type. */
const bySubmitName = (of: (contract: JobTypeContract) => object): unknown =>
  Object.fromEntries(jobTypes.map((type) => [submitNameOf(type), of(jobContracts[type])]));

type SubmitOperation<Type extends JobType> = Contracts[Type]['submit'] & {
  readonly response: typeof JobSubmitted;
  readonly errors: readonly ErrorCode[];
};

const submitOperations = bySubmitName(
  ({ submit }): OperationFields => ({
    ...submit,
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED', ...(submit.errors ?? [])],
  }),
) as { readonly [Type in JobType as SubmitName<Type>]: SubmitOperation<Type> };

const submitExamples = bySubmitName(({ example }) => example) as {
  readonly [Type in JobType as SubmitName<Type>]: Contracts[Type]['example'];
};

const JobType = Named('JobType', Type.Enum(jobTypes, { description: 'The type of the job.' }));

/**
 *            ┌───────── unexpected error, retry_count < 3 ────────┐
 *            ▼                                                    │
 *         PENDING ──── a worker takes it ────▶ RUNNING ───────────┤
 *            │                                    │               │
 *            └── /cancel-job ──▶ CANCELED ◀───────┤               │
 *                                                 ├─ done ──▶ SUCCEED
 *                                                 └─ not retryable, or failed after three retries ──▶ FAILED
 */
const JobStatus = Named(
  'JobStatus',
  Type.Enum(['PENDING', 'RUNNING', 'SUCCEED', 'FAILED', 'CANCELED'], {
    description: 'The status of the job. `SUCCEED`, `FAILED` and `CANCELED` are final.',
  }),
);

const ref = { project_id: Id('project'), job_id: Id('job') };
const JobRef = Closed(ref);
const ListJobs = Closed({
  project_id: Id('project'),
  job_type: Type.Optional(JobType),
  job_status: Type.Optional(JobStatus),
  ...PageQuery,
});

const JobError = NamedObject('JobError', {
  code: Type.String({ description: 'The error code. Its meaning never changes.' }),
  message: Type.String({ description: 'What went wrong, and what to do next.' }),
});
const JobProgress = NamedObject('JobProgress', {
  stage: Type.String({ description: 'What the job is currently doing.' }),
  fraction: Type.Number({ minimum: 0, maximum: 1, description: 'How much of the job is done, from 0 to 1.' }),
  message: Nullable(Type.String(), {
    description: 'Details in words, such as what a waiting job is waiting for. Null if there are none.',
  }),
});

const contracts = Object.values(jobContracts);
const dataSchemas: TSchema[] = contracts.map(({ data }) => data);
const resultSchemas: TSchema[] = [...new Set<TSchema>(contracts.map(({ result }) => result))];

const AnyData = Type.Unsafe<JobData>(
  Type.Union(dataSchemas, { description: 'What was submitted. The fields depend on `job_type`.' }),
);
const AnyResult = Type.Unsafe<JobResult>(Type.Union(resultSchemas));
const jobFields = {
  ...ref,
  job_type: JobType,
  created_ts: Ts('When the job was created'),
  name: Name('job'),
  job_data: AnyData,
  job_result: Nullable(AnyResult, {
    description: 'The result of the job. The fields depend on `job_type`. Null until the job succeeds.',
  }),
  job_status: JobStatus,
  retry_count: Type.Integer({
    minimum: 0,
    maximum: limits.jobRetries,
    description: 'The number of automatic retries so far.',
  }),
  error: Nullable(JobError, { description: 'Why the job failed. Null if it did not.' }),
  progress: Nullable(JobProgress, { description: 'The progress of the job.' }),
  started_ts: NullableTs('When the first attempt started', 'Null before that.'),
  finished_ts: NullableTs('When the job ended', 'Null before that.'),
};

const Job = NamedObject('Job', jobFields);

/** A job in a list, without fields that are too large. */
const ListedJob = NamedObject('ListedJob', {
  ...jobFields,
  job_data: Nullable(AnyData, { description: 'What was submitted. Null if it is listed in `omitted`.' }),
  omitted: Type.Array(Type.Enum(['job_data', 'job_result']), {
    description: `The fields that are null here because they are larger than ${limits.listedJobPartBytes.toLocaleString('en')} bytes. \`/get-job\` returns them.`,
  }),
});

const operations = {
  ...submitOperations,
  getJob: {
    summary: 'Get the status, progress and result of a job',
    description:
      'Poll it until `job_status` is `SUCCEED`, `FAILED` or `CANCELED`. For a waiting job, `progress` says what it is waiting for. For a failed job, `error` says what to do.\n\nA job is removed 365 days after it has ended (`JOB_RETENTION_DAYS`). The call then returns `NOT_FOUND`, as after `/delete-job`. The job that trained a model stays as long as the model, the last job of a schedule as long as the schedule, and every job as long as its result.',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND'],
  },
  listJobs: {
    summary: "List a project's jobs",
    description:
      'Returns the jobs, newest first. With `job_type` or `job_status`, it returns only jobs of that type or with that status. Jobs that ended long ago are removed: see `/get-job`.',
    request: ListJobs,
    response: Page('jobs', ListedJob),
    errors: ['NOT_FOUND'],
  },
  cancelJob: {
    summary: 'Cancel a job that has not ended',
    description: 'Cancels a waiting or running job at once. The worker stops working on it within seconds.',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND', 'JOB_NOT_CANCELABLE'],
  },
  deleteJob: {
    summary: 'Delete a job that has ended, and the files of its result',
    description:
      'Returns the deleted job. The files of its result are removed within seconds, and their download URLs stop working. The model of a `TRAINING` job stays until you call `/delete-model`. The deployment of a `DEPLOYMENT` job keeps serving.',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND', 'JOB_NOT_ENDED'],
  },
} as const satisfies Record<string, OperationFields>;

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
  job_data: { model_id: ids.model, query_type: userListExample.query_type, queries: userListExample.queries },
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

export const jobOperations = defineOperations('Jobs', operations, {
  ...submitExamples,
  getJob: { request: jobRef, response: trained },
  listJobs: {
    request: { project_id: ids.project, job_type: 'QUERYING' },
    response: { jobs: [{ ...queried, omitted: [] }], ...lastPage },
  },
  cancelJob: {
    request: { project_id: ids.project, job_id: ids.deployment },
    response: { ...deploying, job_status: 'CANCELED', finished_ts: morning + 12 * minute },
  },
  deleteJob: {
    request: { project_id: ids.project, job_id: ids.deployment },
    response: { ...deploying, job_status: 'CANCELED', finished_ts: morning + 12 * minute },
  },
});
