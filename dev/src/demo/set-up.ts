import type { ImportReport, Tastegraph } from '@tastegraph/sdk';
import { showStep } from '../command/screen.ts';
import type { Shop } from './shop/generate-shop.ts';
import { step } from './steps.ts';

export interface Deployed {
  readonly project_id: string;
  readonly event_dataset_id: string;
}

/** Imports the shop, trains a model and deploys it, with the same calls that a developer would make. */
export async function setUp(
  client: Tastegraph,
  name: string,
  shop: Shop,
  signal: AbortSignal,
): Promise<Deployed> {
  const datasets = await step('Importing', () => importShop(client, shop, signal), describeImport);
  const { project_id } = await client.createProject({
    name,
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    title_attribute: 'title',
    user_dataset_id: datasets.user_dataset_id,
    item_dataset_id: datasets.item_dataset_id,
    event_dataset_id: datasets.event_dataset_id,
  });
  const model = await step(
    'Training',
    () => train(client, project_id, signal),
    ({ training: { metrics } }) =>
      `trained a model: its top 20 for each reader contain ${percent(metrics.model.recall_at_20.value)} of the held-out purchases ` +
      `(the 20 most popular books: ${percent(metrics.popularity.recall_at_20.value)})`,
  );
  await step(
    'Deploying',
    async () => {
      const deployment = { project_id, name: 'first', generator_model_id: model.model_id, qps: 100 };
      const { job_id } = await client.submitDeploymentJob(deployment);
      return client.waitForJob({ project_id, job_id }, { signal });
    },
    () => 'deployed',
  );
  return { project_id, event_dataset_id: datasets.event_dataset_id };
}

async function importShop(client: Tastegraph, { readers, books, events }: Shop, signal: AbortSignal) {
  const { user_dataset_id } = await client.createUserDataset({ name: 'readers', num_shards: 1 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'books', num_shards: 1 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'visits', num_shards: 1 });
  const users = readers.map(({ user_id, attributes }) => ({ user_id, attributes }));
  const reports = [
    await client.importUsers(user_dataset_id, users, { signal }),
    await client.importItems(item_dataset_id, books, { signal }),
    await client.importEvents(event_dataset_id, events, { signal }),
  ];
  return { user_dataset_id, item_dataset_id, event_dataset_id, reports };
}

function describeImport({ reports }: { readonly reports: readonly ImportReport[] }): string {
  const sum = (part: 'succeeded' | 'failed') => reports.reduce((total, report) => total + report[part], 0);
  return `imported ${sum('succeeded').toLocaleString('en')} records, ${sum('failed')} rejected`;
}

/** With `{}`, the service chooses all parameters. */
async function train(client: Tastegraph, project_id: string, signal: AbortSignal) {
  const { algorithm_id } = await client.createAlgorithm({
    project_id,
    name: 'g1',
    algorithm_type: 'G1',
    algorithm_parameters: {},
  });
  const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'first' });
  const { job_result } = await client.waitForJob(
    { project_id, job_id, job_type: 'TRAINING' },
    { signal, onProgress: ({ progress }) => showStep(`Training: ${progress?.stage ?? 'waiting'}`) },
  );
  return client.getModel({ project_id, model_id: job_result.model_id });
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
