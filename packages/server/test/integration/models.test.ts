import { decodeModel, G1Scorer } from '@tastegraph/algorithms';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import type { Caller } from './caller.ts';
import { select } from './kinds.ts';
import { type MadeProject, makeProject, trainModel } from './training.ts';

let api: TestApi;
let caller: Caller;
let project: MadeProject;

beforeAll(async () => {
  api = await startTestApi();
  caller = await api.newCaller();
  project = await makeProject(caller);
});
afterAll(() => api[Symbol.asyncDispose]());

const trained = (name: string) => trainModel(caller, project, { name });

describe('a model', () => {
  test('has the name of its job, and says how good it is beside popularity', async () => {
    const model_id = await trained('spring');
    const model = await caller.call('getModel', { project_id: project.project_id, model_id });
    expect(model).toMatchObject({
      ...{ model_id, name: 'spring', algorithm_type: 'G1' },
      algorithm_parameters: {},
    });
    const { metrics, data, held_out } = model.training;
    expect(data).toEqual({
      ...{ events: 480, target_events: 480, users: 60, items: 40, items_without_record: 0 },
      event_types: ['buy'],
    });
    expect(held_out).toBe('latest');
    // What a user of one taste takes next is told by the taste, of which popularity knows nothing.
    expect(metrics.model.ndcg_at_20.low).toBeGreaterThan(metrics.popularity.ndcg_at_20.high);
    expect(metrics.model.ndcg_at_20.value).toBeLessThanOrEqual(1);
  });

  test('is a file that can be read and recommends by the taste it learned', async () => {
    const model_id = await trained('file');
    const text =
      'SELECT object_key, object_size::int AS size, object_sha256 AS sha256 FROM models WHERE model_id = $1';
    const [row] = await select<{ object_key: string; size: number; sha256: string }>(api.db, text, [
      model_id,
    ]);
    const { size = 0, sha256 = '', object_key = '' } = row ?? {};
    const body = await api.store.read(object_key, { expect: { size, sha256 } });
    const { model, catalogue } = decodeModel(Buffer.concat(await body.bytes.toArray()));
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

  test('is listed newest first, renamed, and deleted with its file', async () => {
    const { project_id } = project;
    const model_id = await trained('old name');
    await caller.call('updateModel', { project_id, model_id, name: 'new name' });
    const { models } = await caller.call('listModels', { project_id });
    expect(models[0]).toMatchObject({ model_id, name: 'new name' });
    expect(models.map((model) => model.created_ts)).toEqual(
      models.map((model) => model.created_ts).toSorted((a, b) => b - a),
    );
    const [row] = await select<{ object_key: string }>(
      api.db,
      'SELECT object_key FROM models WHERE model_id = $1',
      [model_id],
    );
    expect(await api.objectKeys()).toContain(row?.object_key);
    expect(await caller.call('deleteModel', { project_id, model_id })).toMatchObject({
      model_id,
      name: 'new name',
    });
    expect((await caller.ask('getModel', { project_id, model_id })).status).toBe(404);
    await expect.poll(() => api.objectKeys(), { timeout: 10_000 }).not.toContain(row?.object_key);
    await expect.poll(() => select(api.db, 'SELECT FROM loose_objects')).toEqual([]);
  });
});
