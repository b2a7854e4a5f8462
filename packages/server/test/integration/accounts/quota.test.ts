import { describe, expect } from 'vitest';
import { updateAccountPlan, upsertPlan } from '../../../src/accounts/rows/accounts.ts';
import { KindCaller, namesOf } from '../stack/kinds.ts';
import { api, problem, test } from '../stack/stack.ts';

test.beforeAll(async () => {
  await upsertPlan(api.db, { plan: 'small', max_event_shards: 10, max_training_hours: null, max_qps: null });
});

const eventsOf = async (plan?: string) => new KindCaller(await api.newCaller(plan), 'event');

describe("the total num_shards of an account's event datasets", () => {
  test('is limited by the plan', async () => {
    const events = await eventsOf('small');
    expect((await events.create({ num_shards: 7 })).status).toBe(200);
    const over = await events.create({ num_shards: 4 });
    expect(over.status).toBe(403);
    expect(over.body).toMatchObject({ code: 'QUOTA_EXCEEDED', status: 403 });
    expect(over.body.detail).toMatch(/\b10 shards\b.*\b7\b.*\b4\b/);
    expect((await events.create({ num_shards: 3 })).status).toBe(200);
    expect((await events.create({ num_shards: 1 })).status).toBe(403);
    expect((await events.list()).body['event_datasets']).toHaveLength(2);
  });

  test('may be 10,000 with the default plan', async () => {
    const events = await eventsOf();
    expect((await events.create({ num_shards: 9999 })).status).toBe(200);
    expect((await events.create({ num_shards: 2 })).status).toBe(403);
    expect((await events.create({ num_shards: 1 })).status).toBe(200);
    expect((await events.create({ num_shards: 1 })).status).toBe(403);
  });

  test('is reduced at once by a delete', async () => {
    const events = await eventsOf('small');
    const id = await events.createdId({ num_shards: 10 });
    expect((await events.create()).status).toBe(403);
    expect((await events.remove(id)).status).toBe(200);
    expect((await events.create({ num_shards: 10 })).status).toBe(200);
  });

  test('is not exceeded by twenty concurrent creates', async () => {
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

  test('is counted per account', async () => {
    await (await eventsOf('small')).create({ num_shards: 10 });
    expect((await (await eventsOf('small')).create({ num_shards: 10 })).status).toBe(200);
  });

  test('follows a change of plan, and existing datasets stay', async () => {
    const caller = await api.newCaller('small');
    const events = new KindCaller(caller, 'event');
    const id = await events.createdId({ num_shards: 10 });
    await updateAccountPlan(api.db, caller.accountId, 'default');
    const larger = await events.createdId({ num_shards: 9990 });
    await updateAccountPlan(api.db, caller.accountId, 'small');
    expect((await events.create()).status).toBe(403);
    expect((await events.get(larger)).status).toBe(200);
    expect((await events.update(id, { name: 'renamed' })).status).toBe(200);
  });

  test.each(['user', 'item'] as const)('does not include %s datasets', async (kind) => {
    const caller = await api.newCaller('small');
    await new KindCaller(caller, 'event').create({ num_shards: 10 });
    const { status, body } = await new KindCaller(caller, kind).create({ num_shards: 10_000 });
    expect(status).toBe(200);
    expect(body[namesOf[kind].datasetId]).toMatch(new RegExp(`^${namesOf[kind].prefix}`));
  });
});

describe('a plan caps', () => {
  const caps = { max_user_shards: 5, max_item_shards: 6, max_projects: 2, max_algorithms: 3, max_models: 1 };
  const refused = problem(403, 'QUOTA_EXCEEDED');

  test.beforeAll(async () => {
    const limits = { max_event_shards: 10, max_training_hours: null, max_qps: null };
    await upsertPlan(api.db, { plan: 'tiny', ...limits, ...caps });
  });

  test.each([
    ['user', 5],
    ['item', 6],
  ] as const)('shards of %s datasets', async (kind, cap) => {
    const datasets = new KindCaller(await api.newCaller('tiny'), kind);
    const first = await datasets.createdId({ num_shards: cap - 1 });
    const over = await datasets.create({ num_shards: 2 });
    expect(over).toMatchObject(refused);
    expect(over.body.detail).toContain(`max_${kind}_shards`);
    expect(over.body.detail).toContain(`--${kind}-shards`);
    expect((await datasets.create({ num_shards: 1 })).status).toBe(200);
    await datasets.remove(first);
    expect((await datasets.create({ num_shards: cap - 1 })).status).toBe(200);
  });

  test('projects, algorithms and models, also with concurrent calls', async () => {
    const caller = await api.newCaller('tiny');
    const project = {
      name: 'p',
      project_type: 'RECOMMEND_ITEMS_TO_USER',
      target_event_type: 'buy',
      user_dataset_id: await new KindCaller(caller, 'user').createdId(),
      item_dataset_id: await new KindCaller(caller, 'item').createdId(),
      event_dataset_id: await new KindCaller(caller, 'event').createdId(),
    };
    const race = async (ask: () => Promise<{ status: number }>) =>
      (await Promise.all(Array.from({ length: 8 }, ask))).filter(({ status }) => status === 200).length;
    expect(await race(() => caller.ask('createProject', project))).toBe(2);
    expect(await caller.ask('createProject', project)).toMatchObject(refused);
    const { projects } = await caller.call('listProjects', {});
    const project_id = projects[0]?.project_id ?? '';
    const algorithm = { project_id, name: 'a', algorithm_type: 'G1', algorithm_parameters: {} };
    expect(await race(() => caller.ask('createAlgorithm', algorithm))).toBe(3);
    expect(await caller.ask('createAlgorithm', algorithm)).toMatchObject(refused);
    const { algorithms } = await caller.call('listAlgorithms', { project_id });
    const training = { project_id, algorithm_id: algorithms[0]?.algorithm_id ?? '', name: 't' };
    // A training in progress counts as a model. This one fails because there is no data.
    const answers = await Promise.all([1, 2].map(() => caller.ask('submitTrainingJob', training)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    await caller.call('deleteProject', { project_id });
    expect((await caller.ask('createProject', project)).status).toBe(200);
  });

  test('everything that an account can create, also with the default plan', async () => {
    const [plan] = await api.rows<Record<string, number | null>>(
      "SELECT * FROM plans WHERE plan = 'default'",
    );
    const { max_event_shards, max_user_shards, max_item_shards, max_projects, max_algorithms, max_models } =
      plan ?? {};
    for (const cap of [
      max_event_shards,
      max_user_shards,
      max_item_shards,
      max_projects,
      max_algorithms,
      max_models,
    ])
      expect(cap).toBeGreaterThan(0);
  });

  test('keep their value if a command does not set them, and a new plan has defaults', async () => {
    const limits = { max_event_shards: 10, max_training_hours: null, max_qps: null };
    const fresh = await upsertPlan(api.db, { plan: 'fresh', ...limits });
    expect(Math.min(fresh.max_projects, fresh.max_models, fresh.max_algorithms)).toBeGreaterThanOrEqual(1000);
    await upsertPlan(api.db, { plan: 'fresh', ...limits, max_projects: 7 });
    expect(await upsertPlan(api.db, { plan: 'fresh', ...limits, max_models: 8 })).toEqual({
      ...fresh,
      max_projects: 7,
      max_models: 8,
    });
  });
});
