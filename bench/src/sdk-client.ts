import {
  type EventRecord,
  type ImportReport,
  type ItemRecord,
  Tastegraph,
  type UserRecord,
} from '@tastegraph/sdk';
import type { Service } from './service.ts';

/** An SDK client for the service's account. */
export function clientOf({ baseUrl, key }: Pick<Service, 'baseUrl' | 'key'>): Tastegraph {
  return new Tastegraph({ baseUrl, apiKey: key.api_key, apiSecret: key.api_secret });
}

export type Datasets = Awaited<ReturnType<typeof createDatasets>>;

export async function createDatasets(client: Tastegraph, eventShards: number) {
  const { user_dataset_id } = await client.createUserDataset({ name: 'users', num_shards: 20 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'items', num_shards: 20 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'events', num_shards: eventShards });
  return { user_dataset_id, item_dataset_id, event_dataset_id };
}

/** Returns the ID of a new project. */
export async function createProject(client: Tastegraph, datasets: Datasets, target_event_type = 'buy') {
  const project_type = 'RECOMMEND_ITEMS_TO_USER';
  return (await client.createProject({ name: 'bench', project_type, target_event_type, ...datasets }))
    .project_id;
}

/** The default of `tastegraph import`. */
const concurrency = 8;

interface Records {
  readonly users: readonly UserRecord[];
  readonly items: readonly ItemRecord[];
  readonly events: readonly EventRecord[];
}

/** Returns the duration of each import in seconds. Throws if a record is rejected. */
export async function importAll(client: Tastegraph, datasets: Datasets, { users, items, events }: Records) {
  const options = { concurrency };
  return {
    users: await timed(client.importUsers(datasets.user_dataset_id, users, options)),
    items: await timed(client.importItems(datasets.item_dataset_id, items, options)),
    events: await timed(client.importEvents(datasets.event_dataset_id, events, options)),
  };
}

async function timed(importing: Promise<ImportReport>): Promise<number> {
  const startedAt = performance.now();
  const { failed } = await importing;
  if (failed > 0) throw new Error(`${failed} records were rejected`);
  return (performance.now() - startedAt) / 1000;
}
