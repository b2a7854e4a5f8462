import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from '@tastegraph/contract';
import type { Caller } from './caller.ts';

export type Job = Response<'getJob'>;

type Parameters = Request<'createAlgorithm'>['algorithm_parameters'];

export interface TestProject {
  readonly project_id: string;
  readonly algorithm_id: string;
  readonly user_dataset_id: string;
  readonly item_dataset_id: string;
  readonly event_dataset_id: string;
}

interface EmptyShape {
  readonly parameters?: Parameters;
  readonly itemSchema?: Request<'createItemDataset'>['attribute_schema'];
  readonly eventShards?: number;
  readonly target?: string;
}

export interface ProjectShape extends Omit<EmptyShape, 'eventShards' | 'target'> {
  readonly users?: number;
  readonly items?: number;
  /** Events of each user. */
  readonly each?: number;
  readonly attributesOf?: (
    item: number,
  ) => NonNullable<Request<'upsertDatasetItems'>['items'][number]['attributes']>;
}

/** All parameters are given: a training is short, and nearly all of it is the fit. */
export const fixedParameters = {
  neighbors: 50,
  regularization: 0.5,
  popularity_regularization: 0.5,
  activity_exponent: 0.5,
  popularity_scaling: 0.5,
  recency: 0,
  taste_weight: 1,
  event_weights: { buy: 1 },
  attribute_weight: 1,
} as const;

/**
 * A project with users of two tastes: one half takes even items, the other odd ones, in order of time. Small, and easy
 * to check whether a model has learned it.
 */
export async function makeProject(
  caller: Caller,
  {
    users = 60,
    items = 40,
    each = 8,
    parameters = {},
    itemSchema = null,
    attributesOf = (item) => ({ parity: String(item % 2) }),
  }: ProjectShape = {},
): Promise<TestProject> {
  const project = await makeEmptyProject(caller, { parameters, itemSchema, eventShards: 20 });
  const { item_dataset_id, event_dataset_id } = project;
  const records = Array.from({ length: items }, (_, item) => ({
    item_id: `i${item}`,
    attributes: attributesOf(item),
  }));
  for (const batch of batchesOf(records))
    await caller.call('upsertDatasetItems', { item_dataset_id, items: batch });
  const events = Array.from({ length: users * each }, (_, index) => {
    const user = index % users;
    const turn = Math.floor(index / users);
    const item = (2 * ((user * 7 + turn * 3) % Math.floor(items / 2)) + (user % 2)) % items;
    return {
      event_id: `e${index}`,
      user_id: `u${user}`,
      item_id: `i${item}`,
      ts: 1_700_000_000_000 + index * 1000,
      event_type: 'buy',
    };
  });
  for (const batch of batchesOf(events))
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: batch });
  return project;
}

/** A project with datasets of its own and an algorithm, without records. */
export async function makeEmptyProject(
  caller: Caller,
  { parameters = {}, itemSchema = null, eventShards = 1, target = 'buy' }: EmptyShape = {},
): Promise<TestProject> {
  const { user_dataset_id } = await caller.call('createUserDataset', { name: 'u', num_shards: 1 });
  const items = { name: 'i', num_shards: 1, attribute_schema: itemSchema };
  const { item_dataset_id } = await caller.call('createItemDataset', items);
  const events = { name: 'e', num_shards: eventShards };
  const { event_dataset_id } = await caller.call('createEventDataset', events);
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const { project_id } = await caller.call('createProject', {
    name: 'p',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: target,
    ...datasets,
  });
  return {
    project_id,
    algorithm_id: await createAlgorithm(caller, project_id, 'G1', parameters),
    ...datasets,
  };
}

/** The ID of a new algorithm of the project. */
export async function createAlgorithm(
  caller: Caller,
  project_id: string,
  algorithm_type: 'G1' | 'POPULAR',
  algorithm_parameters: Parameters = {},
): Promise<string> {
  const algorithm = { project_id, name: 'a', algorithm_type, algorithm_parameters };
  return (await caller.call('createAlgorithm', algorithm)).algorithm_id;
}

/** As many records as one call can write. */
export const batchesOf = <T>(records: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(records.length / 1000) }, (_, n) => records.slice(n * 1000, (n + 1) * 1000));

export async function submit(
  caller: Caller,
  { project_id, algorithm_id }: TestProject,
  name = 'a training',
): Promise<string> {
  return (await caller.call('submitTrainingJob', { project_id, algorithm_id, name })).job_id;
}

/** A job that succeeded after so many retries. */
export const succeeded = (retry_count = 0) => ({ job_status: 'SUCCEED', retry_count, error: null });

/** A job that failed for this reason, after so many retries. */
export const failed = (code: string, retry_count = 0) => ({
  job_status: 'FAILED',
  retry_count,
  job_result: null,
  error: { code },
});

export const ended = (job: Job) => ['SUCCEED', 'FAILED', 'CANCELED'].includes(job.job_status);
export const waitsForRetry = (job: Job) => job.job_status === 'PENDING' && job.retry_count > 0;

/** The job once `is` returns true; fails with the last state of the job. */
export async function waitForJob(
  caller: Caller,
  project_id: string,
  job_id: string,
  is: (job: Job) => boolean = ended,
  limitMs = 60_000,
): Promise<Job> {
  for (const end = performance.now() + limitMs; ; ) {
    const job = await caller.call('getJob', { project_id, job_id });
    if (is(job)) return job;
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${JSON.stringify(job)}`);
    await sleep(20);
  }
}

/** Deploys a model without a job, and by default without a limit that a test would reach; `run` runs a statement. */
export async function deployModel(
  run: (text: string, values: unknown[]) => Promise<unknown>,
  modelId: string,
  qps = 100_000,
): Promise<void> {
  await run(
    `INSERT INTO deployments (project_key, generator_model_key, qps)
      SELECT project_key, model_key, $2 FROM models WHERE model_id = $1
      ON CONFLICT (project_key) DO UPDATE SET generator_model_key = excluded.generator_model_key, qps = excluded.qps`,
    [modelId, qps],
  );
}

/** The ID of a new model of the project, trained with other parameters if given. */
export async function trainModel(
  caller: Caller,
  project: TestProject,
  { name, parameters }: { name?: string; parameters?: Parameters } = {},
): Promise<string> {
  const { project_id, algorithm_id } = project;
  if (parameters) {
    await caller.call('updateAlgorithm', { project_id, algorithm_id, algorithm_parameters: parameters });
  }
  const { job_result } = await waitForJob(caller, project_id, await submit(caller, project, name));
  return (job_result as { model_id: string }).model_id;
}
