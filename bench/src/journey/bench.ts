import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Tastegraph } from '@tastegraph/sdk';
import type { Report } from '../report.ts';
import { withSetting } from '../setting.ts';
import { readMovieLens } from './movielens.ts';

const batchSize = 1000;
/** As many as an importer would hold open. */
const lanes = 8;

/** MovieLens 1M through the whole service: imported over HTTP, trained with `{}`, and what the model says of itself. */
export async function benchJourney(): Promise<Report> {
  const { users, items, events } = readMovieLens();
  const objects = await mkdtemp(join(tmpdir(), 'tastegraph-journey-'));
  try {
    return await withSetting(
      async ({ service }) => {
        const { api_key, api_secret } = service.key;
        const client = new Tastegraph({ baseUrl: service.baseUrl, apiKey: api_key, apiSecret: api_secret });
        const stages: { stage: string; seconds: number }[] = [];
        const timed = async <T>(stage: string, work: Promise<T>): Promise<T> => {
          const start = performance.now();
          const result = await work;
          stages.push({ stage, seconds: (performance.now() - start) / 1000 });
          return result;
        };
        const { user_dataset_id } = await client.createUserDataset({ name: 'users', num_shards: 10 });
        const { item_dataset_id } = await client.createItemDataset({ name: 'movies', num_shards: 10 });
        const { event_dataset_id } = await client.createEventDataset({ name: 'ratings', num_shards: 20 });
        const send = <T>(records: readonly T[], upsert: (batch: T[]) => Promise<{ failed_ids: unknown[] }>) =>
          inLanes(records, async (batch) => {
            const { failed_ids } = await upsert(batch);
            if (failed_ids.length > 0) throw new Error(`${failed_ids.length} records were refused`);
          });
        await timed(
          'import users',
          send(users, (batch) => client.upsertDatasetUsers({ user_dataset_id, users: batch })),
        );
        await timed(
          'import items',
          send(items, (batch) => client.upsertDatasetItems({ item_dataset_id, items: batch })),
        );
        await timed(
          'import events',
          send(events, (batch) => client.upsertDatasetEvents({ event_dataset_id, events: batch })),
        );
        const { project_id } = await client.createProject({
          ...{ name: 'movies', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'watch' },
          ...{ user_dataset_id, item_dataset_id, event_dataset_id },
        });
        const { algorithm_id } = await client.createAlgorithm({
          ...{ project_id, name: 'g1', algorithm_type: 'G1', algorithm_parameters: {} },
        });
        const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'first' });
        const job = await timed('train', untilEnded(client, project_id, job_id));
        if (job.job_status !== 'SUCCEED') throw new Error(`the training ended as ${JSON.stringify(job)}`);
        const { models } = await client.listModels({ project_id });
        const [model] = models;
        if (!model) throw new Error('the model is not listed');
        return reportOf(model.training, stages);
      },
      { role: 'all-in-one', objectsUrl: pathToFileURL(objects).href },
    );
  } finally {
    await rm(objects, { recursive: true });
  }
}

type Training = Awaited<ReturnType<Tastegraph['getModel']>>['training'];

function reportOf(training: Training, stages: { stage: string; seconds: number }[]): Report {
  const { model, popularity } = training.metrics;
  const row = (name: string, { users, recall_at_20, ndcg_at_20, coverage }: typeof model) => ({
    ...{ model: name, users },
    'Recall@20': shown(recall_at_20),
    'NDCG@20': shown(ndcg_at_20),
    coverage: shown(coverage),
  });
  const steps = Object.entries(training.seconds).map(([name, seconds]) => ({
    stage: `  train: ${name}`,
    seconds,
  }));
  return {
    bench: 'journey',
    tables: [
      { title: 'MovieLens 1M through the service, by stage', rows: [...stages, ...steps] },
      {
        title: "The model's record: the latest fifth of each user's events, all items",
        rows: [row('G1', model), row('popularity', popularity)],
      },
    ],
    goals: [
      {
        text: 'the model is better than popularity beyond doubt (intervals apart)',
        reached: model.ndcg_at_20.low > popularity.ndcg_at_20.high,
      },
    ],
    figures: { stages, training },
  };
}

const shown = ({ value, low, high }: { value: number; low: number; high: number }) =>
  `${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;

async function inLanes<T>(records: readonly T[], send: (batch: T[]) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < records.length) {
      const from = next;
      next += batchSize;
      await send(records.slice(from, from + batchSize));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function untilEnded(client: Tastegraph, project_id: string, job_id: string) {
  for (let stage = ''; ; ) {
    const job = await client.getJob({ project_id, job_id });
    if (job.job_status !== 'PENDING' && job.job_status !== 'RUNNING') return job;
    const { stage: now = '', message = '' } = job.progress ?? {};
    if (now !== stage) console.error(`${now}: ${message ?? ''}`);
    stage = now;
    await sleep(100);
  }
}
