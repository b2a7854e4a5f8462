import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { ModelCache, NoSpareMemoryError } from '../../../src/models/model-cache.ts';
import type { DeployedModel } from '../../../src/projects/rows/deployments.ts';
import { readModel } from '../stack/deployment-cell.ts';
import { startServingCell } from '../stack/serving-processes.ts';
import { perFile } from '../stack/stack.ts';

const cell = perFile(startServingCell);
let file: Buffer;

beforeAll(async () => {
  file = await readModel(cell.api, cell.modelId);
});

let lastModelKey = 0;
async function putModel(name: string, bytes: Uint8Array = file): Promise<DeployedModel> {
  const { size, sha256 } = await cell.api.store.put(`models/${name}.tgm`, [bytes]);
  return { model_key: ++lastModelKey, model_id: 'mdl_test', object_key: `models/${name}.tgm`, size, sha256 };
}

/** The real store, counting its reads in total and in progress. */
function watched(): { store: ObjectStore; reads: string[]; maxInFlight: () => number } {
  const reads: string[] = [];
  let atOnce = 0;
  let most = 0;
  const store = Object.create(cell.api.store) as ObjectStore;
  store.read = async (key, options) => {
    reads.push(key);
    most = Math.max(most, ++atOnce);
    await sleep(20);
    atOnce--;
    return cell.api.store.read(key, options);
  };
  return { store, reads, maxInFlight: () => most };
}

test('two models with the same number, as after a restore, are different models', async () => {
  const cache = new ModelCache(cell.api.store, 1e9);
  const [one, other] = [await putModel('one'), await putModel('other')];
  expect(await cache.get(one)).not.toBe(await cache.get({ ...other, model_key: one.model_key }));
  expect(await cache.get(one)).toBe(await cache.get({ ...one, model_key: 999 }));
});

test('a model that is not deployed never takes the memory of one that is', async () => {
  const { store, reads } = watched();
  const [deployed, spare, other, late] = await Promise.all(
    ['deployed', 'spare', 'other', 'late'].map((name) => putModel(name)),
  );
  if (!deployed || !spare || !other || !late) throw new Error('there are four');
  // Two models fit, one of them while it is loaded.
  const cache = new ModelCache(store, file.length * 4);
  await cache.get(deployed);
  await cache.getSpare(spare);
  await cache.getSpare(other);
  expect(await cache.get(deployed)).toBe(await cache.get(deployed));
  expect(reads.filter((key) => key === deployed.object_key)).toHaveLength(1);
  // Another deployed model takes the place of those that are not.
  await cache.get(late);
  await cache.get(deployed);
  expect(reads.filter((key) => key === deployed.object_key)).toHaveLength(1);
  const full = new ModelCache(store, file.length * 2);
  await full.get(deployed);
  await expect(full.getSpare(spare)).rejects.toBeInstanceOf(NoSpareMemoryError);
});

test('many cold models stay within the budget, also while they are loaded', async () => {
  const { store, maxInFlight } = watched();
  const models = await Promise.all(Array.from({ length: 20 }, (_, n) => putModel(`cold-${n}`)));
  const budget = file.length * 2 * 3;
  const cache = new ModelCache(store, budget);
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, cache.bytes);
  }, 1);
  const loaded = await Promise.all(models.map((model) => cache.get(model)));
  clearInterval(watching);
  expect(loaded).toHaveLength(20);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(budget);
  expect(maxInFlight()).toBeLessThanOrEqual(3);
});

test('a model larger than the budget is served alone', async () => {
  const cache = new ModelCache(cell.api.store, file.length / 2);
  const [one, other] = [await putModel('large-1'), await putModel('large-2')];
  const [first, second] = await Promise.all([cache.get(one), cache.get(other)]);
  expect(first.itemIds).toEqual(second.itemIds);
  expect(cache.count).toBe(1);
});

test('a damaged model is not read again until its back-off ends, and the error says why', async () => {
  const { store, reads } = watched();
  const cache = new ModelCache(store, 1e9);
  const damaged = Buffer.from(file.subarray(0, file.length / 2));
  const sha256 = createHash('sha256').update(damaged).digest('hex');
  const model = { ...(await putModel('damaged', damaged)), sha256 };
  for (let n = 0; n < 5; n++)
    await expect(cache.get(model)).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) as string });
  expect(reads).toHaveLength(1);
  await sleep(1050);
  await expect(cache.get(model)).rejects.toThrow();
  await expect(cache.get(model)).rejects.toThrow();
  expect(reads).toHaveLength(2);
});
