import { Analytics } from '@segment/analytics-node';
import { expect, inject, test } from 'vitest';
import { client, createAlgorithm, createProject } from './client.ts';

const orders = Array.from({ length: 200 }, (_, n) => ({
  event_id: `o${n}`,
  user_id: `u${n % 20}`,
  item_id: `b${(n * 7) % 10}`,
  ts: 1_767_600_000_000 + n * 60_000,
  event_type: 'Order Completed',
}));

async function deployShop() {
  const { user_dataset_id } = await client.createUserDataset({ name: 'people', num_shards: 1 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'goods', num_shards: 1 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'orders', num_shards: 1 });
  const items = Array.from({ length: 10 }, (_, n) => ({ item_id: `b${n}` }));
  await client.upsertDatasetItems({ item_dataset_id, items });
  await client.upsertDatasetEvents({ event_dataset_id, events: orders });
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const project_id = await createProject('segment', 'Order Completed', datasets);
  const algorithm_id = await createAlgorithm(project_id, 'POPULAR');
  const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'first' });
  const { job_result } = await client.waitForJob({ project_id, job_id, job_type: 'TRAINING' });
  const deployment = { project_id, name: 'first', generator_model_id: job_result.model_id, qps: 100 };
  const deploying = await client.submitDeploymentJob(deployment);
  await client.waitForJob({ project_id, job_id: deploying.job_id, job_type: 'DEPLOYMENT' });
  return { project_id, event_dataset_id, user_dataset_id };
}

test("what Segment's client sends counts in the next recommendation", { timeout: 120_000 }, async () => {
  const { project_id, event_dataset_id, user_dataset_id } = await deployShop();
  const key = { name: 'segment', event_dataset_id, user_dataset_id };
  const { write_key: writeKey } = await client.createWriteKey(key);
  const recommended = async () => {
    const { results } = await client.recommendItemsToUser({ project_id, user_id: 'anna', limit: 20 });
    return results.map(({ item }) => item.item_id);
  };
  const before = await recommended();
  expect(before).toHaveLength(10);

  const analytics = new Analytics({ writeKey, host: inject('baseUrl'), maxRetries: 0 });
  const failures: unknown[] = [];
  analytics.on('error', (error) => failures.push(error));
  analytics.identify({ userId: 'anna', traits: { plan: 'pro', address: { city: 'Bern' } } });
  analytics.page({ userId: 'anna', name: 'Home' });
  const products = [
    { product_id: before[0], quantity: 2, price: 9 },
    { product_id: before[1], quantity: 1 },
  ];
  analytics.track({ userId: 'anna', event: 'Order Completed', properties: { order_id: '7', products } });
  await analytics.closeAndFlush();
  expect(failures).toEqual([]);

  expect((await recommended()).toSorted()).toEqual(before.slice(2).toSorted());
  const { events } = await client.listDatasetEvents({ event_dataset_id, user_id: 'anna' });
  expect(events.map(({ item_id, event_value }) => [item_id, event_value]).toSorted()).toEqual(
    [
      [before[0], 2],
      [before[1], 1],
    ].toSorted(),
  );
  for (const { ts } of events) expect(Math.abs(Date.now() - ts)).toBeLessThan(60_000);
  expect(await client.getDatasetUser({ user_dataset_id, user_id: 'anna' })).toEqual({
    user_id: 'anna',
    attributes: { plan: 'pro' },
  });
});

test("Segment's client gives up at once on a wrong write key", async () => {
  const writeKey = `tg_main_${'0'.repeat(24)}_${'0'.repeat(43)}`;
  const analytics = new Analytics({ writeKey, host: inject('baseUrl') });
  const failures: { code?: string }[] = [];
  analytics.on('error', (error) => failures.push(error));
  analytics.track({ userId: 'anna', event: 'x', properties: { sku: 'y' } });
  await analytics.closeAndFlush({ timeout: 5000 });
  expect(failures).toHaveLength(1);
});
