import type { Tastegraph } from '@tastegraph/sdk';
import type pg from 'pg';
import { readLines, requireData } from '../quality/data.ts';
import { clientOf, createDatasets, createProject, type Datasets, importAll } from '../sdk-client.ts';
import type { Service } from '../service.ts';
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
  const datasets = await createShop(client, admin, size);
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

/** Creates datasets with a synthetic shop. */
export async function createShop(client: Tastegraph, admin: pg.Client, size: ShopSize): Promise<Datasets> {
  // Leaves room for events that the benchmark writes.
  const datasets = await createDatasets(client, 10 + Math.ceil(size.events / 100_000));
  await fillShop(admin, datasets, size);
  return datasets;
}

/** Creates a project on the datasets and trains a model. */
export async function trainOn(
  client: Tastegraph,
  datasets: Datasets,
  target_event_type: string,
  algorithm_parameters: G1Parameters = fixedParameters,
) {
  const project_id = await createProject(client, datasets, target_event_type);
  return { project_id, model_id: await trainModel(client, project_id, 'G1', algorithm_parameters) };
}

/** Returns the ID of a new model. */
export async function trainModel(
  client: Tastegraph,
  project_id: string,
  algorithm_type: 'G1' | 'POPULAR',
  algorithm_parameters: G1Parameters,
): Promise<string> {
  const algorithm = { project_id, name: 'bench', algorithm_type, algorithm_parameters };
  const { algorithm_id } = await client.createAlgorithm(algorithm);
  const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'bench' });
  const { job_result } = await client.waitForJob({ project_id, job_id, job_type: 'TRAINING' });
  return job_result.model_id;
}

export async function deployModel(
  client: Tastegraph,
  project_id: string,
  generator_model_id: string,
  qps = maxQps,
): Promise<void> {
  const deployment = { project_id, name: 'bench', generator_model_id, qps };
  await client.waitForJob({ project_id, ...(await client.submitDeploymentJob(deployment)) });
}

/** Trains as `trainOn` does, and deploys the model. */
export async function trainAndDeploy(
  client: Tastegraph,
  datasets: Datasets,
  target_event_type: string,
  { qps, parameters }: { qps?: number; parameters?: G1Parameters } = {},
): Promise<string> {
  const { project_id, model_id } = await trainOn(client, datasets, target_event_type, parameters);
  await deployModel(client, project_id, model_id, qps);
  return project_id;
}

/** Our copy of the data has the order of each user's ratings but not their timestamps, so we place them a second apart. */
const secondMs = 1000;
const firstTs = Date.UTC(2000, 0, 1);

/** MovieLens 1M as a developer would import it: each rating is a `watch` event with the rating as its value. */
function readMovieLens() {
  requireData(['ml-1m']);
  const users = readLines('ml-1m/users.dat').map((line) => {
    const [user_id = '', gender = '', age = '', occupation = ''] = line.split('::');
    return { user_id, attributes: { gender, age, occupation } };
  });
  const items = readLines('ml-1m/movies.dat').map((line) => {
    const [item_id = '', title = '', genres = ''] = line.split('::');
    return { item_id, attributes: { title, genres: genres.split('|') } };
  });
  const [, ...ratings] = readLines('ml-1m/ratings_ordered.csv');
  const events = ratings.map((line) => {
    const [user_id = '', item_id = '', rating = '', order = ''] = line.split(',');
    const event_id = `${user_id}-${item_id}`;
    const ts = firstTs + Number(order) * secondMs;
    return { event_id, user_id, item_id, ts, event_type: 'watch', event_value: Number(rating) };
  });
  return { users, items, events };
}
