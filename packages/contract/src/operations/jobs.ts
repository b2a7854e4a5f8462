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
    description: [
      "A user's usage of a value of an item attribute is a share from 0 to 1: of the user's target events when the model was trained, weighted by their value, the part that fell on items with that value; where there is little to go by, the model's prediction stands in. Bounds are inclusive; the conditions of a query are joined by AND.",
      'A `user_list` is NDJSON: for each query a line `{"query":0,"conditions":[…],"user_count":2}`, then a line for each user `{"user_id":"u7","usage":[0.62]}`, with the usage of each condition. A `user_distribution` is JSON: `{"distributions":[{"attribute":"genres","value":"Drama","bins":20,"edges":[0,0.05,…],"counts":[31,…],"user_count":900}]}`, and an SVG chart for each query.',
      'An attribute that no item had is refused here; a value that no item had fails the job at once, with the nearest one named.',
    ].join('\n\n'),
    request: SubmitQuerying,
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  submitClusteringJob: {
    concept,
    summary: 'Ask a model which groups of users there are',
    description: [
      'Users are grouped by their taste when the model was trained, into as many groups as are found again in halves of the data. Groups under `min_user_num` are deleted, and their users unassigned.',
      'The result is NDJSON: a line of the whole, `{"clusters":2,"users":900,"unassigned":3}`; a line for each group, the largest first, `{"cluster_id":4,"size":610,"cohesion":0.71,"items":[{"item_id":"i1","share":0.4,"share_of_all":0.1,"lift":4}],"attributes":[{"attribute":"genres","value":"Drama","share":0.5,"share_of_all":0.2,"lift":2.5}]}`, with what sets it apart; a line for each user, `{"user_id":"u7","cluster_id":4}`, null for who is unassigned. The chart is a map of the groups, as SVG.',
      'A group keeps its id as long as it is the same people, from one model of the project to the next; an id is never given to others.',
    ].join('\n\n'),
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
