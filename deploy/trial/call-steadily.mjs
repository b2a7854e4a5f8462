// deploy/trial/call-steadily.mjs URL FILE: deploys a model of a small shop, then asks for recommendations and writes events until SIGTERM, and never repeats a call.
// At the end, reads back every event that was acknowledged, and writes the counts to FILE. Prints "calling" once it calls.
// Key and secret: TASTEGRAPH_API_KEY, TASTEGRAPH_API_SECRET.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Tastegraph } from '../../packages/sdk/src/index.ts';

const [baseUrl = '', file = ''] = process.argv.slice(2);
const { TASTEGRAPH_API_KEY: apiKey = '', TASTEGRAPH_API_SECRET: apiSecret = '' } = process.env;
const client = new Tastegraph({ baseUrl, apiKey, apiSecret, maxRetries: 0 });

async function deployShop() {
  const { user_dataset_id } = await client.createUserDataset({ name: 'u', num_shards: 1 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'i', num_shards: 1 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'e', num_shards: 10 });
  const items = Array.from({ length: 40 }, (_, n) => ({
    item_id: `i${n}`,
    attributes: { parity: String(n % 2) },
  }));
  const events = Array.from({ length: 480 }, (_, n) => ({
    event_id: `e${n}`,
    user_id: `u${n % 60}`,
    item_id: `i${(2 * ((n * 7) % 20) + (n % 2)) % 40}`,
    ts: 1_700_000_000_000 + n * 1000,
    event_type: 'buy',
  }));
  await client.upsertDatasetItems({ item_dataset_id, items });
  await client.upsertDatasetEvents({ event_dataset_id, events });
  const { project_id } = await client.createProject({
    name: 'upgrade',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
  });
  const algorithm = { project_id, name: 'g1', algorithm_type: 'G1', algorithm_parameters: {} };
  const { algorithm_id } = await client.createAlgorithm(algorithm);
  const training = await client.submitTrainingJob({ project_id, algorithm_id, name: 't' });
  const { job_result } = await client.waitForJob({
    project_id,
    job_id: training.job_id,
    job_type: 'TRAINING',
  });
  const deployment = { project_id, name: 'd', generator_model_id: job_result.model_id, qps: 100_000 };
  const { job_id } = await client.submitDeploymentJob(deployment);
  await client.waitForJob({ project_id, job_id, job_type: 'DEPLOYMENT' });
  return { project_id, event_dataset_id };
}

const { project_id, event_dataset_id } = await deployShop();
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const counts = { recommendations: 0, writes: 0, failed: 0, lost: 0 };
const failures = [];
const acknowledged = [];

/** Calls again and again, one call after the other. */
async function repeat(kind, call) {
  for (let n = 0; !stopping.signal.aborted; n += 1) {
    const at = new Date().toISOString();
    try {
      await call(n);
      counts[kind] += 1;
    } catch (error) {
      counts.failed += 1;
      // The first ones say enough.
      if (failures.length < 50)
        failures.push({ at, kind, error: error instanceof Error ? error.message : String(error) });
    }
    await sleep(20);
  }
}

const recommend = async (n) => {
  const { results } = await client.recommendItemsToUser({ project_id, user_id: `u${n % 60}`, limit: 5 });
  if (results.length !== 5) throw new Error(`${results.length} results instead of 5`);
};
const writer = (name) => async (n) => {
  const event_id = `${name}-${n}`;
  const event = { event_id, user_id: `writer-${name}`, item_id: 'i0', ts: Date.now(), event_type: 'view' };
  await client.upsertDatasetEvents({ event_dataset_id, events: [event] });
  acknowledged.push(event_id);
};
console.log('calling');
await Promise.all([
  repeat('recommendations', recommend),
  repeat('recommendations', recommend),
  repeat('writes', writer('a')),
  repeat('writes', writer('b')),
]);

const stored = new Set();
for (const name of ['a', 'b'])
  for await (const { event_id } of client.listAll('listDatasetEvents', {
    event_dataset_id,
    user_id: `writer-${name}`,
  }))
    stored.add(event_id);
counts.lost = acknowledged.filter((id) => !stored.has(id)).length;
writeFileSync(file, `${JSON.stringify({ ...counts, failures })}\n`);
