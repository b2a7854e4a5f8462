import { carriersOf, decodeSnapshot, findValues, textAt } from '@tastegraph/algorithms';
import { decodeModel, G1Scorer } from '@tastegraph/algorithms/g1';
import { describe, expect, test } from 'vitest';
import { findModelFiles } from '../../../src/projects/rows/models.ts';
import { projectKeyOf } from '../stack/kinds.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { makeProject, trainModel } from '../stack/training.ts';

ownProduct();
const project = perFile(() => makeProject(caller));

async function filesOf(modelId: string) {
  const files = await findModelFiles(api.db, await projectKeyOf(api.db, project.project_id), modelId);
  if (!files?.snapshot) throw new Error('the model has no snapshot');
  return { model: files.model, snapshot: files.snapshot };
}

async function readFile({ key, size, sha256 }: { key: string; size: number; sha256: string }) {
  const body = await api.store.read(key, { expect: { size, sha256 } });
  return Buffer.concat((await body.bytes.toArray()) as Buffer[]);
}

const trained = (name: string) => trainModel(caller, project, { name });

describe('a model', () => {
  test('has the name of its job, and its quality compared with popularity', async () => {
    const model_id = await trained('spring');
    const model = await caller.call('getModel', { project_id: project.project_id, model_id });
    expect(model).toMatchObject({
      model_id,
      name: 'spring',
      algorithm_type: 'G1',
      algorithm_parameters: {},
    });
    const { metrics, data, held_out } = model.training;
    expect(data).toEqual({
      events: 480,
      target_events: 480,
      users: 60,
      items: 40,
      items_without_record: 0,
      event_types: ['buy'],
      newest_event_ts: 1_700_000_479_000,
    });
    expect(held_out).toBe('latest');
    // The taste predicts a user's next item; popularity does not.
    expect(metrics.model.ndcg_at_20.low).toBeGreaterThan(metrics.popularity.ndcg_at_20.high);
    expect(metrics.model.ndcg_at_20.value).toBeLessThanOrEqual(1);
    // Test users are not validation users, and users who were held out completely are in neither.
    const { validation_users = 0, test_users = 0, model: reached, popularity, cold_users } = metrics;
    expect(validation_users).toBeGreaterThan(test_users);
    expect([reached.users, popularity.users]).toEqual([test_users, test_users]);
    expect(validation_users + test_users + (cold_users?.model.users ?? 0)).toBe(60);
  });

  test('is a file that can be read and recommends by the learned taste', async () => {
    const model_id = await trained('file');
    const { model, catalogue } = decodeModel(await readFile((await filesOf(model_id)).model));
    expect(catalogue.itemIds).toHaveLength(40);
    const item = (id: string) => catalogue.itemIds.indexOf(id);
    const scorer = new G1Scorer(model);
    const events = {
      item: Uint32Array.from(['i0', 'i2', 'i4'].map(item)),
      type: new Uint8Array(3),
      value: new Float32Array(3).fill(1),
    };
    const found = scorer.recommend({ events, attributes: [] }, { n: 5 });
    expect(found.map((each) => Number(catalogue.itemIds[each.item]?.slice(1)) % 2)).toEqual([0, 0, 0, 0, 0]);
  });

  test('has a snapshot of its training data, which does not change', async () => {
    const model_id = await trained('snapshot');
    await caller.call('upsertDatasetItems', {
      item_dataset_id: project.item_dataset_id,
      items: [{ item_id: 'i0', attributes: { parity: 'changed', late: true } }],
    });
    const { model, snapshot } = await filesOf(model_id);
    expect(snapshot.attributes).toEqual(['parity']);
    const { events, userIds, values, priorStrength } = decodeSnapshot(await readFile(snapshot));
    const { itemIds } = decodeModel(await readFile(model)).catalogue;
    expect(events.users).toBe(60);
    expect([textAt(userIds, 0), textAt(userIds, 59)]).toEqual(['u0', 'u9']);
    // Users with even numbers take even items, and each has eight events.
    const first = events.item.slice(events.offsets[0], events.offsets[1]);
    expect(Array.from(first, (item) => Number(itemIds[item]?.slice(1)) % 2)).toEqual(Array(8).fill(0));
    const even = findValues(values, 'parity', '0')[0] ?? -1;
    expect(new Set(Array.from(carriersOf(values, even), (item) => itemIds[item]))).toEqual(
      new Set(Array.from({ length: 20 }, (_, index) => `i${2 * index}`)),
    );
    expect(['changed', '2'].map((value) => findValues(values, 'parity', value))).toEqual([[], []]);
    // A number equals its text.
    expect(findValues(values, 'parity', 0)).toEqual([even]);
    const { training } = await caller.call('getModel', { project_id: project.project_id, model_id });
    expect(training.usage_evidence).toBe(priorStrength);
  });

  test('is listed newest first, renamed, and deleted with its files', async () => {
    const { project_id } = project;
    const model_id = await trained('old name');
    await caller.call('updateModel', { project_id, model_id, name: 'new name' });
    const { models } = await caller.call('listModels', { project_id });
    expect(models[0]).toMatchObject({ model_id, name: 'new name' });
    expect(models.map((model) => model.created_ts)).toEqual(
      models.map((model) => model.created_ts).toSorted((a, b) => b - a),
    );
    const { model, snapshot } = await filesOf(model_id);
    const files = [model.key, snapshot.key];
    const kept = await api.objectKeys();
    expect(kept).toEqual(expect.arrayContaining(files));
    expect(await caller.call('deleteModel', { project_id, model_id })).toMatchObject({
      model_id,
      name: 'new name',
    });
    expect((await caller.ask('getModel', { project_id, model_id })).status).toBe(404);
    await expect
      .poll(() => api.objectKeys(), { timeout: 10_000 })
      .toEqual(kept.filter((key) => !files.includes(key)));
    await expect.poll(() => api.rows('SELECT FROM loose_objects')).toEqual([]);
  });
});
