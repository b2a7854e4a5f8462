import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { select } from '../stack/kinds.ts';
import { idsIn, openShop } from '../stack/shop.ts';
import { api, caller, invalid, perFile, problem, test } from '../stack/stack.ts';
import { makeProject } from '../stack/training.ts';

const shop = perFile(openShop, test);

const refOf = (name: string) => ({ project_id: shop.project_id, name });
const create = (name: string, fields: object) =>
  caller.call('createScenario', { ...refOf(name), question: 'ITEMS_TO_USER', ...fields });
const ask = (fields: object) => shop.recommend({ user_id: 'u0', ...fields });
const idsOf = (fields: object) => shop.ids({ user_id: 'u0', ...fields });

describe('a scenario', () => {
  test('gives its fields to the calls that name it, which may override them', async () => {
    const rules = { boosts: [{ if: 'item.parity == "1"', factor: 10 }], limit: 4, explain: true };
    await create('home', rules);
    const { results, limit } = await ask({ scenario: 'home' });
    expect(results).toEqual((await ask(rules)).results);
    expect(limit).toBe(4);
    expect(await idsOf({ scenario: 'home', limit: 2 })).toEqual(idsIn({ results }).slice(0, 2));
    expect(await idsOf({ scenario: 'home', boosts: [] })).toEqual(await idsOf({ limit: 4 }));
    const filtered = { filter_query: 'item.parity == "0"' };
    await create('filtered', filtered);
    expect(await idsOf({ scenario: 'filtered', filter_query: null })).toEqual(await idsOf({}));
  });

  test('is for its question: one for popular items gives its fields to that call only', async () => {
    const fields = { window_hours: 48, limit: 3, boosts: [{ if: 'item.parity == "1"', factor: 10 }] };
    await create('trends', { question: 'POPULAR', ...fields });
    const { project_id } = shop;
    const popular = (of: object) =>
      caller.call('recommendPopularItems', { project_id, explain: true, ...of });
    const answer = await popular({ scenario: 'trends' });
    expect(answer).toMatchObject({ window_hours: 48, limit: 3 });
    expect(answer.results).toEqual((await popular(fields)).results);
    expect(await popular({ scenario: 'trends', limit: 5 })).toMatchObject({ window_hours: 48, limit: 5 });
    expect(await shop.ask({ user_id: 'u0', scenario: 'trends' })).toMatchObject(invalid('scenario'));
  });

  test('that was changed applies to the next call, as a new version', async () => {
    const { version, created_ts } = await create('changing', { limit: 1 });
    expect(version).toBe(1);
    for (let limit = 2; limit < 6; limit++) {
      const updated = await caller.call('updateScenario', { ...refOf('changing'), limit });
      expect(updated).toMatchObject({ version: limit, limit, created_ts, question: 'ITEMS_TO_USER' });
      expect(await idsOf({ scenario: 'changing' })).toHaveLength(limit);
    }
    expect(await caller.call('getScenario', { ...refOf('changing'), version: 2 })).toMatchObject({
      limit: 2,
    });
    const { scenarios } = await caller.call('listScenarios', { project_id: shop.project_id });
    expect(scenarios.find(({ name }) => name === 'changing')).toMatchObject({ version: 5, limit: 5 });
  });

  test('can be sent back as it was read', async () => {
    await create('echo', { limit: 3, diversity: { level: 'LOW' } });
    const read = await caller.call('getScenario', refOf('echo'));
    const { status, body } = await caller.ask('updateScenario', { ...read, limit: 7 });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { version: 2, limit: 7, diversity: { level: 'LOW' } },
    });
    const other = await caller.ask('updateScenario', { ...read, question: 'RANKING' });
    expect(other.status).toBe(400);
    const stale = await caller.ask('updateScenario', { ...refOf('echo'), version: 1 });
    expect(stale).toMatchObject(problem(409, 'SCENARIO_CHANGED'));
  });

  test('keeps its last versions', async () => {
    await create('long', { limit: 1 });
    for (let update = 0; update < limits.scenarioVersions; update++)
      await caller.call('updateScenario', { ...refOf('long'), limit: 2 });
    const statusOf = async (version: number) =>
      (await caller.ask('getScenario', { ...refOf('long'), version })).status;
    expect(await statusOf(1)).toBe(404);
    expect(await statusOf(2)).toBe(200);
  });

  test('that does not exist, or was deleted, is not found', async () => {
    await create('gone', {});
    await idsOf({ scenario: 'gone' });
    expect(await caller.call('deleteScenario', refOf('gone'))).toMatchObject({ name: 'gone', version: 1 });
    const stranger = await api.newCaller();
    for (const answer of [
      await caller.ask('getScenario', refOf('gone')),
      await caller.ask('getScenario', refOf('nowhere')),
      await stranger.ask('getScenario', refOf('home')),
      await shop.ask({ user_id: 'u0', scenario: 'gone' }),
    ])
      expect(answer).toMatchObject(problem(404, 'NOT_FOUND'));
  });

  test('is checked when it is written', async () => {
    for (const [fields, path] of [
      [{ filter_query: 'item.x <' }, 'filter_query'],
      [{ boosts: [{ if: 'nothing', factor: 2 }] }, 'boosts.0.if'],
      [{ diversity: { attribute: 'a' } }, 'diversity.max_per_value'],
      [{ cursor: 'x' }, 'cursor'],
      [{ question: 'RANKING', limit: 3 }, 'limit'],
    ] as const) {
      const scenario = { ...refOf('refused'), question: 'ITEMS_TO_USER', ...fields };
      expect(await caller.ask('createScenario', scenario)).toMatchObject(invalid(path));
    }
    const unusual = 'item.parity != "\u0000\ud83d\ude00"';
    await create('😀 a "quoted" name', { filter_query: unusual });
    expect(await caller.call('getScenario', refOf('😀 a "quoted" name'))).toMatchObject({
      filter_query: unusual,
    });
    expect(await idsOf({ scenario: '😀 a "quoted" name' })).toEqual(await idsOf({}));
  });

  test('is for one question', async () => {
    const filter_query = 'item.item_id != "i1"';
    await create('ranking', { question: 'RANKING', explain: true, filter_query });
    expect(await shop.ask({ user_id: 'u0', scenario: 'ranking' })).toMatchObject(invalid('scenario'));
    const ranked = await caller.call('rankItemsForUser', {
      project_id: shop.project_id,
      user_id: 'u0',
      item_ids: ['i1', 'i2'],
      scenario: 'ranking',
    });
    expect(ranked.results[0]?.reasons).toBeDefined();
    expect(idsIn(ranked)).toEqual(['i2']);
  });

  test('has its own name, and a project has a limited number', async () => {
    const { project_id } = await makeProject(caller);
    const named = (name: string) =>
      caller.ask('createScenario', { project_id, name, question: 'ITEMS_TO_USER', limit: 1 });
    const twice = await Promise.all([named('same'), named('same')]);
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(twice.find(({ status }) => status === 409)?.body.code).toBe('SCENARIO_EXISTS');
    for (let place = 2; place < limits.scenariosPerProject; place++)
      expect((await named(`s${place}`)).status).toBe(200);
    const last = await Promise.all(['a', 'b', 'c'].map(named));
    expect(last.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    expect(last.find(({ status }) => status === 403)?.body.code).toBe('QUOTA_EXCEEDED');
    await caller.call('deleteProject', { project_id });
    const left = await select(
      api.db,
      `SELECT FROM scenarios LEFT JOIN projects USING (project_key) WHERE projects.project_key IS NULL`,
      [],
    );
    expect(left).toHaveLength(0);
  });
});
