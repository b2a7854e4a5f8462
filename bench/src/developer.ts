import { setTimeout as sleep } from 'node:timers/promises';
import { Tastegraph } from '@tastegraph/sdk';
import { drain } from './load.ts';
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

const batchSize = 1000;
/** As many as an importer would hold open. */
const lanes = 8;

/** In batches, several at once; throws when a record is refused. Answers the seconds it took. */
export async function sendRecords<T>(
  records: readonly T[],
  upsert: (batch: T[]) => Promise<{ failed_ids: unknown[] }>,
): Promise<number> {
  const batches = Array.from({ length: Math.ceil(records.length / batchSize) }, (_, n) =>
    records.slice(n * batchSize, (n + 1) * batchSize),
  );
  return drain(
    batches,
    Array.from({ length: lanes }, (_, lane) => lane),
    async (_lane, batch) => {
      const { failed_ids } = await upsert(batch);
      if (failed_ids.length > 0) throw new Error(`${failed_ids.length} records were refused`);
    },
  );
}

type Job = Awaited<ReturnType<Tastegraph['getJob']>>;

/** The job once it succeeded; throws when it ends otherwise. */
export async function untilDone(
  client: Tastegraph,
  project_id: string,
  job_id: string,
  onLook: (job: Job) => void = () => undefined,
): Promise<Job> {
  for (;;) {
    const job = await client.getJob({ project_id, job_id });
    if (job.job_status === 'SUCCEED') return job;
    if (job.job_status !== 'PENDING' && job.job_status !== 'RUNNING') throw new Error(JSON.stringify(job));
    onLook(job);
    await sleep(100);
  }
}
