import { expect } from 'vitest';
import { linesOf, resultOf, submitQueries } from '../stack/analysed-project.ts';
import { deployByJob } from '../stack/deployment-cell.ts';
import { storeFutureEvents } from '../stack/kinds.ts';
import { idsIn } from '../stack/shop.ts';
import { api, caller, invalid, test } from '../stack/stack.ts';
import { createAlgorithm, makeProject, type TestProject, trainModel } from '../stack/training.ts';

/** The algorithm POPULAR, from /create-algorithm to recommendations and queries. */

let project: TestProject;

const day = 86_400_000;
const newest = 1_700_000_480_000 + 10 * day;

test.beforeAll(async () => {
  const made = await makeProject(caller);
  const { project_id, event_dataset_id, user_dataset_id } = made;
  await caller.call('upsertDatasetUsers', {
    user_dataset_id,
    users: Array.from({ length: 60 }, (_, user) => ({
      user_id: `u${user}`,
      attributes: { plan: user % 2 === 0 ? 'free' : 'paid' },
    })),
  });
  // Ten days after everything else, everybody buys i1.
  await caller.call('upsertDatasetEvents', {
    event_dataset_id,
    events: Array.from({ length: 30 }, (_, user) => ({
      event_id: `late${user}`,
      user_id: `u${user}`,
      item_id: 'i1',
      ts: newest,
      event_type: 'buy',
    })),
  });
  await storeFutureEvents(api, event_dataset_id, { user_id: 'far', item_id: 'i39' });
  const parameters = { half_life_days: 2, by_attribute: 'none' };
  project = { ...made, algorithm_id: await createAlgorithm(caller, project_id, 'POPULAR', parameters) };
});

const trained = new Map<string, Promise<string>>();
const model = (name: string, parameters?: object) => {
  const known =
    trained.get(name) ?? trainModel(caller, project, parameters ? { name, parameters } : { name });
  trained.set(name, known);
  return known;
};

test('takes its own parameters only, when it is created and when it is changed', async () => {
  const { project_id, algorithm_id } = project;
  const create = (algorithm_parameters: object) =>
    caller.ask('createAlgorithm', { project_id, name: 'x', algorithm_type: 'POPULAR', algorithm_parameters });
  const change = (algorithm_parameters: object) =>
    caller.ask('updateAlgorithm', { project_id, algorithm_id, algorithm_parameters });
  expect(await create({ neighbors: 100 })).toMatchObject(invalid('algorithm_parameters.neighbors'));
  expect(await change({ recency: 1 })).toMatchObject(invalid('algorithm_parameters.recency'));
  expect(await change({ half_life_days: 0 })).toMatchObject(invalid('algorithm_parameters.half_life_days'));
});

test('is checked by what it needs of the data', async () => {
  const { project_id, algorithm_id } = project;
  const { can_train, findings, estimate } = await caller.call('checkTraining', { project_id, algorithm_id });
  expect(can_train).toBe(true);
  expect(findings.map(({ code }) => code)).not.toContain('THIN_DATA');
  expect(estimate.seconds).toBeGreaterThan(0);
});

test('recommends what is popular now, whatever events the future has, with an explanation that adds up', async () => {
  const model_id = await model('given');
  const { project_id } = project;
  const { algorithm_type, training } = await caller.call('getModel', { project_id, model_id });
  expect(algorithm_type).toBe('POPULAR');
  expect(training.chosen_parameters).toEqual({ half_life_days: 2, by_attribute: 'none' });
  expect(training.held_out).toBe('latest');
  await deployByJob(caller, project, { generator_model_id: model_id });
  for (const user_id of ['u40', 'nobody']) {
    const request = { user_id, project_id, limit: 10, explain: true };
    const { results } = await caller.call('recommendItemsToUser', request);
    expect(results).toHaveLength(10);
    expect(results[0]?.item.item_id).toBe('i1');
    for (const { score, reasons = [] } of results) {
      expect(reasons).toMatchObject([{ kind: 'popularity', id: null, contribution: score }]);
    }
    // 30 of today, and what is left of the others after five half-lives.
    expect(results[0]?.score).toBeGreaterThan(30);
    expect(results[0]?.score).toBeLessThan(31);
  }
  const seen = await caller.call('recommendItemsToUser', { user_id: 'u3', project_id, limit: 40 });
  expect(idsIn(seen)).not.toContain('i1');
});

test('has a popularity for each value of an attribute, and ranks what another model found', async () => {
  const { project_id } = project;
  const generator_model_id = await model('given');
  const ranker_model_id = await model('by plan', { half_life_days: 36_500, by_attribute: 'plan' });
  await deployByJob(caller, project, { generator_model_id: ranker_model_id });
  const request = { project_id, limit: 5 };
  const explained = { ...request, user_id: 'u40', explain: true };
  const { results } = await caller.call('recommendItemsToUser', explained);
  for (const { score = 0, reasons = [] } of results) {
    expect(reasons.map(({ kind, id }) => `${kind} ${id ?? ''}`).sort()).toEqual([
      'attribute plan=free',
      'popularity ',
    ]);
    const [one, other] = reasons;
    expect((one?.contribution ?? 0) + (other?.contribution ?? 0)).toBe(score);
  }
  await deployByJob(caller, project, { generator_model_id, ranker_model_id });
  const ranked = await caller.call('recommendItemsToUser', { ...request, user_id: 'u41' });
  expect(ranked.results).toHaveLength(5);
});

test('answers queries by what is popular, and declines to cluster', async () => {
  const { project_id } = project;
  const model_id = await model('given');
  const conditions = [{ attribute: 'parity', value: '1', lower_bound: 0 }];
  const asked = { query_type: 'user_list' as const, queries: [{ conditions }] };
  const job = await submitQueries(caller, { project_id, model_id }, asked);
  const [head, ...users] = await linesOf<{ user_count?: number; usage?: number[] }>(
    caller,
    await resultOf(caller, project_id, job),
  );
  expect(head?.user_count).toBe(60);
  for (const { usage = [] } of users) expect(usage[0]).toBeGreaterThan(0);

  const refused = await caller.ask('submitClusteringJob', {
    name: 'groups',
    project_id,
    model_id,
    cluster_type: 'user',
    parameters: {},
  });
  expect(refused).toMatchObject(invalid('model_id'));
  expect(refused.body.detail).toContain('G1');
});
