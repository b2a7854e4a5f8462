import type { OperationName } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { makeTrained } from '../stack/deployment-cell.ts';
import { KindCaller, kinds, recordOf, setCount } from '../stack/kinds.ts';
import { api, caller, invalid, perFile, test } from '../stack/stack.ts';
import { deployModel } from '../stack/training.ts';

const project = perFile(() => makeTrained(caller), test);

test.beforeAll(() => deployModel(api.rows, project.model_id, 7));

/** Each update operation, its read operation, and invalid values of read-only fields. */
const updates: readonly {
  update: OperationName;
  get: OperationName;
  ref: () => Record<string, string>;
  wrong: Record<string, unknown>;
}[] = [
  {
    update: 'updateUserDataset',
    get: 'getUserDataset',
    ref: () => ({ user_dataset_id: project.user_dataset_id }),
    wrong: { record_count: 999_999 },
  },
  {
    update: 'updateItemDataset',
    get: 'getItemDataset',
    ref: () => ({ item_dataset_id: project.item_dataset_id }),
    wrong: { record_count: '40' },
  },
  {
    update: 'updateEventDataset',
    get: 'getEventDataset',
    ref: () => ({ event_dataset_id: project.event_dataset_id }),
    wrong: { record_count: 0 },
  },
  {
    update: 'updateProject',
    get: 'getProject',
    ref: () => ({ project_id: project.project_id }),
    wrong: {
      project_type: 'OTHER',
      user_dataset_id: 'uds_other',
      target_event_type: 'view',
      serving_uri: 'http://elsewhere',
      deployment: { qps: 1_000_000 },
    },
  },
  {
    update: 'updateAlgorithm',
    get: 'getAlgorithm',
    ref: () => ({ project_id: project.project_id, algorithm_id: project.algorithm_id }),
    wrong: { algorithm_type: 'G2' },
  },
  {
    update: 'updateModel',
    get: 'getModel',
    ref: () => ({ project_id: project.project_id, model_id: project.model_id }),
    wrong: { algorithm_type: 'G2', algorithm_parameters: { neighbors: 1 }, created_ts: 1, training: {} },
  },
];

describe.each(updates)('$update', ({ update, get, ref, wrong }) => {
  const read = async () => (await caller.ask(get, ref())).body as unknown as Record<string, unknown>;

  test('accepts the record as it was read, and with another name', async () => {
    const record = await read();
    const echoed = await caller.ask(update, record);
    expect({ status: echoed.status, body: echoed.body }).toEqual({ status: 200, body: record });
    const renamed = await caller.ask(update, { ...record, name: `renamed by ${update}` });
    expect(renamed.status).toBe(200);
    expect(await read()).toEqual({ ...record, name: `renamed by ${update}` });
  });

  test('refuses a read-only field that differs, names it, and changes nothing', async () => {
    const record = await read();
    for (const [field, value] of Object.entries(wrong)) {
      expect(await caller.ask(update, { ...record, name: 'not taken', [field]: value })).toMatchObject(
        invalid(field),
      );
    }
    expect(await read()).toEqual(record);
  });

  test('treats null in a read-only field as absent', async () => {
    const nulls = Object.fromEntries(Object.keys(wrong).map((field) => [field, null]));
    const record = await read();
    expect((await caller.ask(update, { ...record, ...nulls })).status).toBe(200);
  });

  test('returns 404 for an unknown ID, whatever else is sent', async () => {
    const strange = Object.fromEntries(Object.keys(ref()).map((field) => [field, 'nowhere']));
    expect((await caller.ask(update, { ...(await read()), ...strange, ...wrong })).status).toBe(404);
  });
});

describe.each(kinds)('num_shards of a %s dataset', (kind) => {
  test('can be raised, with effect on the next upsert', async () => {
    const of = new KindCaller(await api.newCaller(), kind);
    const id = await of.createdId();
    await setCount(api.db, id, 100_000);
    expect((await of.upsert(id, [recordOf(kind, 'a')])).body.failures).toMatchObject([
      { code: 'DATASET_FULL' },
    ]);
    const { status, body } = await of.update(id, { num_shards: 2 });
    expect({ status, num_shards: body.num_shards }).toEqual({ status: 200, num_shards: 2 });
    expect((await of.upsert(id, [recordOf(kind, 'a')])).body.succeed_ids).toEqual(['a']);
  });

  test('cannot be lowered', async () => {
    const of = new KindCaller(await api.newCaller(), kind);
    const id = await of.createdId({ num_shards: 3 });
    expect(await of.update(id, { name: 'not taken', num_shards: 2 })).toMatchObject(invalid('num_shards'));
    expect((await of.get(id)).body).toMatchObject({ name: 'a dataset', num_shards: 3 });
    expect((await of.update(id, { num_shards: 10_001 })).status).toBe(400);
  });
});

test('the shards of all event datasets stay within the plan, also with concurrent updates', async () => {
  const of = new KindCaller(await api.newCaller(), 'event');
  const ids = [await of.createdId({ num_shards: 4000 }), await of.createdId({ num_shards: 4000 })];
  const [first = '', second = ''] = ids;
  const over = await of.update(first, { num_shards: 6001 });
  expect({ status: over.status, code: over.body.code }).toEqual({ status: 403, code: 'QUOTA_EXCEEDED' });
  const raised = await Promise.all(
    [first, second].map(async (id) => (await of.update(id, { num_shards: 6000 })).status),
  );
  expect(raised.toSorted()).toEqual([200, 403]);
  const shards = await Promise.all(ids.map(async (id) => (await of.get(id)).body.num_shards));
  expect(shards.toSorted()).toEqual([4000, 6000]);
});
