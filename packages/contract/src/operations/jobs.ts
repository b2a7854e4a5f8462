import { Page } from '../schemas/fields.ts';
import {
  Job,
  JobRef,
  JobSubmitted,
  ListJobs,
  SubmitClustering,
  SubmitDeployment,
  SubmitQuerying,
  SubmitTraining,
} from '../schemas/job.ts';
import { CheckTraining, TrainingCheck } from '../schemas/training-check.ts';
import type { Operation } from './operation.ts';

const concept = 'Jobs';

export const jobOperations = {
  checkTraining: {
    concept,
    summary: 'Say before a training what is wrong or thin in the data, and estimate its time and memory',
    request: CheckTraining,
    response: TrainingCheck,
    errors: ['NOT_FOUND'],
  },
  submitTrainingJob: {
    concept,
    summary: 'Train a model',
    request: SubmitTraining,
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  submitDeploymentJob: {
    concept,
    summary: 'Make one or two models serve the recommendation call',
    request: SubmitDeployment,
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  submitQueryingJob: {
    concept,
    summary: 'Ask a model which users lean to what',
    request: SubmitQuerying,
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  submitClusteringJob: {
    concept,
    summary: 'Ask a model which groups of users there are',
    request: SubmitClustering,
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getJob: {
    concept,
    summary: 'Get a job: its status, progress and result',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND'],
  },
  listJobs: {
    concept,
    summary: "List a project's jobs",
    request: ListJobs,
    response: Page('jobs', Job),
    errors: ['NOT_FOUND'],
  },
  cancelJob: {
    concept,
    summary: 'Cancel a job that has not ended',
    request: JobRef,
    response: Job,
    errors: ['NOT_FOUND', 'JOB_NOT_CANCELABLE'],
  },
} as const satisfies Record<string, Operation>;
