import { setTimeout as sleep } from 'node:timers/promises';
import { Tastegraph } from '@tastegraph/sdk';
import { expect, inject, test } from 'vitest';

const client = new Tastegraph({
  baseUrl: inject('baseUrl'),
  apiKey: inject('apiKey'),
  apiSecret: inject('apiSecret'),
});

/** Readers of two kinds of books, who read on in their kind. */
const readers = 80;
const books = 30;
const kinds = ['crime', 'travel'];

function readings() {
  return Array.from({ length: readers * 8 }, (_, index) => {
    const reader = index % readers;
    const place = Math.floor(index / readers);
    const book = ((reader * 3 + place * 2) % (books / 2)) * 2 + (reader % 2);
    const ts = 1_750_000_000_000 + index * 60_000;
    return { event_id: `r${index}`, user_id: `u${reader}`, item_id: `b${book}`, ts, event_type: 'read' };
  });
}

test('from records to a model that is better than popularity', async () => {
  const { user_dataset_id } = await client.createUserDataset({ name: 'readers', num_shards: 1 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'books', num_shards: 1 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'readings', num_shards: 1 });
  const items = Array.from({ length: books }, (_, book) => ({
    item_id: `b${book}`,
    attributes: { kind: kinds[book % 2]! },
  }));
  await client.upsertDatasetItems({ item_dataset_id, items });
  await client.upsertDatasetEvents({ event_dataset_id, events: readings() });
  const { project_id } = await client.createProject({
    ...{ name: 'books', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'read' },
    ...{ user_dataset_id, item_dataset_id, event_dataset_id },
  });
  expect(await client.checkTraining({ project_id })).toMatchObject({ can_train: true });
  const { algorithm_id } = await client.createAlgorithm({
    ...{ project_id, name: 'g1', algorithm_type: 'G1', algorithm_parameters: {} },
  });

  const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'spring' });
  let job = await client.getJob({ project_id, job_id });
  for (
    const end = Date.now() + 60_000;
    ['PENDING', 'RUNNING'].includes(job.job_status) && Date.now() < end;
  ) {
    await sleep(200);
    job = await client.getJob({ project_id, job_id });
  }
  expect(job).toMatchObject({ job_status: 'SUCCEED', error: null });

  const { models } = await client.listModels({ project_id });
  expect(models).toMatchObject([{ name: 'spring', algorithm_type: 'G1', algorithm_parameters: {} }]);
  const { model, popularity } = models[0]!.training.metrics;
  expect(model.recall_at_20.low).toBeGreaterThan(popularity.recall_at_20.high);
});
