import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateAccountPlan, upsertPlan } from '../../src/storage/postgres/accounts.ts';
import { startTestApi, type TestApi } from './api.ts';
import { KindCaller, namesOf } from './kinds.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await upsertPlan(api.db, { plan: 'small', max_event_shards: 10, max_training_hours: null, max_qps: null });
});
afterAll(() => api[Symbol.asyncDispose]());

const eventsOf = async (plan?: string) => new KindCaller(await api.newCaller(plan), 'event');

describe("the sum of num_shards over an account's event datasets", () => {
  test('reaches what the plan allows and no further', async () => {
    const events = await eventsOf('small');
    expect((await events.create({ num_shards: 7 })).status).toBe(200);
    const over = await events.create({ num_shards: 4 });
    expect(over.status).toBe(403);
    expect(over.body).toMatchObject({ code: 'QUOTA_EXCEEDED', status: 403 });
    expect(over.body.detail).toMatch(/10 shards.* 7 are used.* 4 more/);
    expect((await events.create({ num_shards: 3 })).status).toBe(200);
    expect((await events.create({ num_shards: 1 })).status).toBe(403);
    expect((await events.list()).body['event_datasets']).toHaveLength(2);
  });

  test('is 10,000 by the default plan', async () => {
    const events = await eventsOf();
    expect((await events.create({ num_shards: 9999 })).status).toBe(200);
    expect((await events.create({ num_shards: 2 })).status).toBe(403);
    expect((await events.create({ num_shards: 1 })).status).toBe(200);
    expect((await events.create({ num_shards: 1 })).status).toBe(403);
  });

  test('is freed by a delete at once', async () => {
    const events = await eventsOf('small');
    const id = await events.createdId({ num_shards: 10 });
    expect((await events.create()).status).toBe(403);
    expect((await events.remove(id)).status).toBe(200);
    expect((await events.create({ num_shards: 10 })).status).toBe(200);
  });

  test('is not passed by twenty creates that race for the last shards', async () => {
    const events = await eventsOf('small');
    await events.create({ num_shards: 4 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => events.create({ num_shards: 2 })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...new Array<number>(3).fill(200),
      ...new Array<number>(17).fill(403),
    ]);
    const listed = (await events.list()).body['event_datasets'] as { num_shards: number }[];
    expect(listed.reduce((sum, { num_shards }) => sum + num_shards, 0)).toBe(10);
  });

  test("is an account's own", async () => {
    await (await eventsOf('small')).create({ num_shards: 10 });
    expect((await (await eventsOf('small')).create({ num_shards: 10 })).status).toBe(200);
  });

  test('follows the account to another plan; what is there stays', async () => {
    const caller = await api.newCaller('small');
    const events = new KindCaller(caller, 'event');
    const id = await events.createdId({ num_shards: 10 });
    await updateAccountPlan(api.db, caller.credentials.accountId, 'default');
    const larger = await events.createdId({ num_shards: 9990 });
    await updateAccountPlan(api.db, caller.credentials.accountId, 'small');
    expect((await events.create()).status).toBe(403);
    expect((await events.get(larger)).status).toBe(200);
    expect((await events.update(id, { name: 'renamed' })).status).toBe(200);
  });

  test.each(['user', 'item'] as const)('leaves %s datasets out', async (kind) => {
    const caller = await api.newCaller('small');
    await new KindCaller(caller, 'event').create({ num_shards: 10 });
    const { status, body } = await new KindCaller(caller, kind).create({ num_shards: 10_000 });
    expect(status).toBe(200);
    expect(body[namesOf[kind].datasetId]).toMatch(new RegExp(`^${namesOf[kind].prefix}`));
  });
});
