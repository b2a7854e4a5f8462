import type { Request } from '@tastegraph/contract';
import { describe, expect, vi } from 'vitest';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import { DeadlineExceededError } from '../../../src/kernel/lib/within.ts';
import { ModelCache } from '../../../src/models/model-cache.ts';
import { CallBudget } from '../../../src/serving/call-budget.ts';
import { recommendItems } from '../../../src/serving/questions/recommend-items.ts';
import type { ServedProject } from '../../../src/serving/rows/serving-reads.ts';
import { callOf, deployServed, newServing, plentyMs } from '../serving/serving-calls.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';
import { fixedParameters, makeProject, submit, waitForJob } from '../stack/training.ts';

/** So many items that reading them all takes longer than a call may. */
const items = 50_000;
/** The deadline of a call. */
const deadlineMs = 500;

let project: ServedProject;
let models: ModelCache;

const made = perFile(() => makeProject(caller, { items, parameters: fixedParameters }), test);

test.beforeAll(async () => {
  const job = await submit(caller, made);
  const { job_result } = await waitForJob(caller, made.project_id, job, undefined, 150_000);
  project = await deployServed(made.project_id, (job_result as { model_id: string }).model_id);
  models = new ModelCache(api.store, 1e9);
}, 180_000);

const upsert = (records: Record<string, Record<string, string | number>>) => {
  const items = Object.entries(records).map(([item_id, attributes]) => ({ item_id, attributes }));
  return caller.call('upsertDatasetItems', { item_dataset_id: made.item_dataset_id, items });
};

async function ask(
  serving: ReturnType<typeof newServing>,
  fields: Partial<Request<'recommendItemsToUser'>>,
  withinMs = plentyMs,
) {
  const request = { user_id: 'u0', attributes: [], limit: 3, filter_query: null, exclude_seen: true };
  const call = callOf(serving, project, 'recommendItemsToUser', withinMs);
  const asked = { ...request, explain: true, ...fields };
  const answer = await recommendItems(call, asked);
  if (!answer) throw new Error('nothing is deployed');
  return answer;
}

/** A serving process that has loaded the model and the items. */
async function newMirrored() {
  const serving = newServing(1e9, models);
  await ask(serving, {});
  const nothing = compileFilter('false');
  const match = () => serving.mirrors.match(project, nothing, new CallBudget('a tenant', () => plentyMs));
  await vi.waitUntil(match, { timeout: 60_000 });
  return serving;
}

/**
 * Without a mirror, with the shortest deadline that allows the first items to be examined; it depends on the machine.
 */
async function askInNoTime(filter_query: string) {
  const serving = newServing(0, models);
  await ask(serving, {});
  for (let withinMs = 20; ; withinMs *= 1.5) {
    try {
      return await ask(serving, { filter_query }, withinMs);
    } catch (error) {
      if (!(error instanceof DeadlineExceededError)) throw error;
    }
  }
}

const idsOf = ({ results }: Awaited<ReturnType<typeof ask>>) => results.map(({ item }) => item.item_id);

describe('a filter that matches few of many items', () => {
  let mirrored: ReturnType<typeof newServing>;
  test.beforeAll(async () => {
    await upsert({ i41000: { rare: 1 }, i42001: { rare: 2 }, i43002: { rare: 3 } });
    mirrored = await newMirrored();
  }, 90_000);

  test('is filled in time if the items are in memory', async () => {
    let isFilled = false;
    // Several attempts, because the machine may be busy with other tests. A new filter each time.
    for (let attempt = 1; attempt <= 20 && !isFilled; attempt++) {
      const filter_query = `item.rare > ${attempt / 100}`;
      const { results, shortfall } = await ask(mirrored, { filter_query }, deadlineMs);
      isFilled = shortfall === null && results.length === 3;
    }
    expect(isFilled).toBe(true);
  });

  test('reports that the time ran out if they are not', async () => {
    expect(await askInNoTime('item.rare > 0')).toMatchObject({ shortfall_code: 'OUT_OF_TIME' });
  });

  test('sees changes and deletions made before the call', async () => {
    const filter_query = 'item.rare > 0';
    await upsert({ i41000: { rare: 0 }, i30001: { rare: 9 }, 'after the training': { rare: 9 } });
    const changed = idsOf(await ask(mirrored, { filter_query, limit: 4 }));
    expect(changed.slice(0, 3).toSorted()).toEqual(['i30001', 'i42001', 'i43002']);
    expect(changed[3]).toBe('after the training');
    const { item_dataset_id } = made;
    await caller.call('deleteDatasetItems', { item_dataset_id, ids: ['i30001', 'after the training'] });
    const { results, shortfall_code } = await ask(mirrored, { filter_query, limit: 4 });
    expect(results.map(({ item }) => item.item_id).toSorted()).toEqual(['i42001', 'i43002']);
    expect(shortfall_code).toBe('FEW_MATCHES');
  });

  test('leaves out items that the user has seen, known to the model or not', async () => {
    const filter_query = 'item.rare > 0';
    await upsert({ fresh1: { rare: 1 }, fresh2: { rare: 1 }, i43002: { rare: 3 } });
    const had = ['fresh1', 'i43002'].map((item_id, n) => ({
      event_id: `had${n}`,
      user_id: 'has had',
      item_id,
      ts: 1_750_000_000_000,
      event_type: 'buy',
    }));
    await caller.call('upsertDatasetEvents', { event_dataset_id: made.event_dataset_id, events: had });
    const request = { user_id: 'has had', filter_query, limit: 10 };
    const unseen = idsOf(await ask(mirrored, request));
    expect(unseen).toEqual(expect.arrayContaining(['fresh2', 'i42001']));
    expect(unseen).not.toEqual(expect.arrayContaining(['fresh1']));
    expect(unseen).not.toEqual(expect.arrayContaining(['i43002']));
    const all = idsOf(await ask(mirrored, { ...request, exclude_seen: false }));
    expect(all).toEqual(expect.arrayContaining(['fresh1', 'i43002']));
  });

  test('gives the same response without a mirror, given enough time', async () => {
    const fresh = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`${n % 2 ? '😀' : '～'}${n}`, { lot: n % 9 }]),
    );
    await upsert(fresh);
    // Items with events are among the first: their popularity is part of the compared scores.
    const known = Array.from({ length: 900 }, (_, n) => [`i${n}`, { lot: n % 40 }] as const);
    await upsert(Object.fromEntries(known));
    const plain = newServing(0, models);
    for (const [filter_query, limit] of [
      ['item.lot == 5', 200],
      ['item.lot == 6', 18],
      ['item.lot < 3', 150],
      ['item.lot == 1 && item.item_id.startsWith("i")', 200],
      ['item.lot == 100', 10],
    ] as const)
      for (const user_id of ['u0', 'u7', 'nobody'])
        expect(await ask(mirrored, { user_id, filter_query, limit })).toEqual(
          await ask(plain, { user_id, filter_query, limit }),
        );
  }, 150_000);
});
