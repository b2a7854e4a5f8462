import Type, { type TSchema } from 'typebox';
import { jobTypes } from '../endpoints.ts';
import { limits } from '../limits.ts';
import { Closed, Id, Name, Named, Nullable, NullableTs, PageQuery, Ts } from '../schemas/fields.ts';
import { type JobData, type JobResult, jobContracts } from './registry.ts';

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
export const JobRef = Closed(ref);
export const ListJobs = Closed({
  project_id: Id('project'),
  job_type: Type.Optional(JobType),
  job_status: Type.Optional(JobStatus),
  ...PageQuery,
});

const JobError = Named(
  'JobError',
  Closed({
    code: Type.String({ description: 'The error code. Its meaning never changes.' }),
    message: Type.String({ description: 'What went wrong, and what to do next.' }),
  }),
);
const JobProgress = Named(
  'JobProgress',
  Closed({
    stage: Type.String({ description: 'What the job is currently doing.' }),
    fraction: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How much of the job is done, from 0 to 1.',
    }),
    message: Nullable(Type.String(), {
      description: 'Details in words, such as what a waiting job is waiting for. Null if there are none.',
    }),
  }),
);

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

export const Job = Named('Job', Closed(jobFields));

/** A job in a list, without fields that are too large. */
export const ListedJob = Named(
  'ListedJob',
  Closed({
    ...jobFields,
    job_data: Nullable(AnyData, { description: 'What was submitted. Null if it is listed in `omitted`.' }),
    omitted: Type.Array(Type.Enum(['job_data', 'job_result']), {
      description: `The fields that are null here because they are larger than ${limits.listedJobPartBytes.toLocaleString('en')} bytes. \`/get-job\` returns them.`,
    }),
  }),
);
