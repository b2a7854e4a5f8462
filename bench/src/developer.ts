import {
  type EventRecord,
  type ImportReport,
  type ItemRecord,
  Tastegraph,
  type UserRecord,
} from '@tastegraph/sdk';
import type { Service } from './service.ts';

/** What a developer does with the service, for benches that begin where one has done so. */
export function clientOf({ baseUrl, key }: Service): Tastegraph {
  return new Tastegraph({ baseUrl, apiKey: key.api_key, apiSecret: key.api_secret });
}

export type Datasets = Awaited<ReturnType<typeof createDatasets>>;

export async function createDatasets(client: Tastegraph, eventShards: number) {
  const { user_dataset_id } = await client.createUserDataset({ name: 'users', num_shards: 20 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'items', num_shards: 20 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'events', num_shards: eventShards });
  return { user_dataset_id, item_dataset_id, event_dataset_id };
}

/** As many calls as an importer would hold open. */
const concurrency = 8;

interface Records {
  readonly users: readonly UserRecord[];
  readonly items: readonly ItemRecord[];
  readonly events: readonly EventRecord[];
}

/** Answers the seconds that each took; throws when a record is refused. */
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
  if (failed > 0) throw new Error(`${failed} records were refused`);
  return (performance.now() - startedAt) / 1000;
}
