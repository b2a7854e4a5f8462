import { Job, JobRef, ListedJob, ListJobs } from '../jobs/job.ts';
import { submitOperations } from '../jobs/registry.ts';
import { Page } from '../schemas/fields.ts';
import { CheckTraining, TrainingCheck } from '../schemas/training-check.ts';
import type { Operation } from './operation.ts';

const concept = 'Jobs';

export const jobOperations = {
  checkTraining: {
    concept,
    summary: 'Check the data before training, and estimate the time and memory that training needs',
    description:
      'Reads the current data and changes nothing. With `algorithm_id`, it checks the requirements and the parameters of that algorithm; without it, those of `G1`. For large datasets, it estimates the counts from a sample, and `sampled` is true. Each finding says what to do next.',
    request: CheckTraining,
    response: TrainingCheck,
    errors: ['NOT_FOUND'],
  },
  ...submitOperations,
  getJob: {
    concept,
    summary: 'Get the status, progress and result of a job',
    description:
      'Poll it until `job_status` is `SUCCEED`, `FAILED` or `CANCELED`. For a waiting job, `progress` says what it is waiting for. For a failed job, `error` says what to do.\n\nA job is removed 365 days after it has ended (`JOB_RETENTION_DAYS`). The call then returns `NOT_FOUND`, as after `/delete-job`. The job that trained a model stays as long as the model, the last job of a schedule as long as the schedule, and every job as long as its result.',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND'],
  },
  listJobs: {
    concept,
    summary: "List a project's jobs",
    description:
      'Returns the jobs, newest first. With `job_type` or `job_status`, it returns only jobs of that type or with that status. Jobs that ended long ago are removed: see `/get-job`.',
    request: ListJobs,
    response: Page('jobs', ListedJob),
    errors: ['NOT_FOUND'],
  },
  cancelJob: {
    concept,
    summary: 'Cancel a job that has not ended',
    description: 'Cancels a waiting or running job at once. The worker stops working on it within seconds.',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND', 'JOB_NOT_CANCELABLE'],
  },
  deleteJob: {
    concept,
    summary: 'Delete a job that has ended, and the files of its result',
    description:
      'Returns the deleted job. The files of its result are removed within seconds, and their download URLs stop working. The model of a `TRAINING` job stays until you call `/delete-model`. The deployment of a `DEPLOYMENT` job keeps serving.',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND', 'JOB_NOT_ENDED'],
  },
} as const satisfies Record<string, Operation>;
