import type { Tastegraph } from '@tastegraph/sdk';
import type pg from 'pg';
import { clientOf, createDatasets, createProject, type Datasets, importAll } from '../sdk-client.ts';
import type { Service } from '../service.ts';
import { readMovieLens } from './movielens.ts';
import { fillShop, type ShopSize } from './synthetic-shop.ts';

export interface Prepared {
  readonly name: string;
  readonly project_id: string;
  readonly users: readonly string[];
  readonly attributes: readonly string[];
  readonly filter: string;
  /** An attribute whose values can be limited per list. */
  readonly capped: string;
}

/** All parameters are fixed, so that training needs no search: the quality of the model does not matter here. */
const fixedParameters = {
  neighbors: 100,
  regularization: 100,
  popularity_regularization: 3,
  activity_exponent: 0.3,
  popularity_scaling: 0.1,
  recency: 0.5,
  taste_weight: 1,
  attribute_weight: 0,
};

type G1Parameters = Parameters<Tastegraph['createAlgorithm']>[0]['algorithm_parameters'];

/** The maximum of the API, more than any process can serve. */
const maxQps = 1_000_000;

/** Enough users that their rows are not always in the CPU's caches. */
const queriedUsers = 20_000;

export async function prepareMovieLens(service: Service): Promise<Prepared> {
  const client = clientOf(service);
  const records = readMovieLens();
  const datasets = await createDatasets(client, 20);
  await importAll(client, datasets, records);
  return {
    name: 'ml-1m',
    project_id: await trainAndDeploy(client, datasets, 'watch'),
    users: records.users.map(({ user_id }) => user_id),
    attributes: ['title', 'genres', 'year'],
    filter: '"Comedy" in item.genres && !("Horror" in item.genres)',
    capped: 'genres',
  };
}

export async function prepareShop(
  service: Pick<Service, 'baseUrl' | 'key'>,
  admin: pg.Client,
  size: ShopSize,
  { qps = maxQps, attributeWeight = 0 }: { qps?: number; attributeWeight?: number } = {},
): Promise<Prepared> {
  const client = clientOf(service);
  // Leaves room for events that the benchmark writes.
  const datasets = await createDatasets(client, 10 + Math.ceil(size.events / 100_000));
  await fillShop(admin, datasets, size);
  return {
    name: `synthetic, ${size.users.toLocaleString('en')} users, ${size.items.toLocaleString('en')} items`,
    project_id: await trainAndDeploy(client, datasets, 'buy', {
      qps,
      parameters: { ...fixedParameters, attribute_weight: attributeWeight },
    }),
    users: Array.from({ length: queriedUsers }, (_, n) => `u${1 + ((n * 7919) % size.users)}`),
    attributes: ['title', 'price', 'category'],
    filter: 'item.price < 20.0',
    capped: 'category',
  };
}

/** Creates a project on the datasets and trains a model. */
export async function trainOn(
  client: Tastegraph,
  datasets: Datasets,
  target_event_type: string,
  algorithm_parameters: G1Parameters = fixedParameters,
) {
  const project_id = await createProject(client, datasets, target_event_type);
  const { algorithm_id } = await client.createAlgorithm({
    project_id,
    name: 'g1',
    algorithm_type: 'G1',
    algorithm_parameters,
  });
  const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'bench' });
  const { job_result } = await client.waitForJob({ project_id, job_id, job_type: 'TRAINING' });
  return { project_id, model_id: job_result.model_id };
}

/** Trains as `trainOn` does, and deploys the model. */
export async function trainAndDeploy(
  client: Tastegraph,
  datasets: Datasets,
  target_event_type: string,
  { qps = maxQps, parameters }: { qps?: number; parameters?: G1Parameters } = {},
): Promise<string> {
  const trained = await trainOn(client, datasets, target_event_type, parameters);
  const { project_id, model_id: generator_model_id } = trained;
  const deployment = { project_id, name: 'bench', generator_model_id, qps };
  await client.waitForJob({ project_id, ...(await client.submitDeploymentJob(deployment)) });
  return project_id;
}
