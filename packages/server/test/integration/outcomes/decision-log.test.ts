import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/http/ids.ts';
import { createLog } from '../../../src/kernel/observability/log.ts';
import { mergeSmallFiles } from '../../../src/outcomes/log/keep-decisions.ts';
import { dayOf } from '../../../src/outcomes/log/keys.ts';
import { sortBatches } from '../../../src/outcomes/log/sort-batches.ts';
import { expireDecisionFiles, listCrowdedDays } from '../../../src/outcomes/rows/decision-files.ts';
import { insertProject } from '../stack/aged-rows.ts';
import type { TestApi } from '../stack/api.ts';
import { signedIn } from '../stack/browser.ts';
import type { Caller } from '../stack/caller.ts';
import { projectKeyOf } from '../stack/kinds.ts';
import { api, caller, ownProduct, untilErased } from '../stack/stack.ts';
import { deployModel, makeProject, type TestProject, trainModel } from '../stack/training.ts';
import { logAnswers, loggedAnswer, readLoggedIds, sortAll } from './logged-answers.ts';

let project: TestProject;
let model: string;
const log = createLog('silent', 'worker');

ownProduct({ SERVING_DEADLINE_MS: '10000' });

beforeAll(async () => {
  // A cell with many projects uses up four bytes. Files are written, merged, read and erased as before.
  await api.rows('ALTER TABLE decision_files ALTER COLUMN file_key RESTART WITH 3000000000');
  project = await makeProject(caller);
  model = await trainModel(caller, project);
  await deployModel(api.rows, model);
});

const context = () => ({ db: api.db, store: api.store, stopping: new AbortController().signal });

const files = () =>
  api.rows<{ file_key: number; answers: number; object_key: string }>(
    'SELECT file_key::float8 AS file_key, answers, object_key FROM decision_files JOIN projects USING (project_key) WHERE project_id = $1',
    [project.project_id],
  );
const recommend = (fields: object) =>
  caller.call('recommendItemsToUser', { project_id: project.project_id, ...fields });
const given = (recommendation_id: string) =>
  caller.call('getRecommendation', { project_id: project.project_id, recommendation_id });
const settled = { timeout: 60_000, interval: 250 };
/** All batches are sorted, and their objects removed. */
const allSorted = () => sortAll(api);

describe('the decision log', () => {
  test('returns what each question answered, before and after a worker sorted it', async () => {
    const { project_id } = project;
    await caller.call('createScenario', { project_id, name: 'home', question: 'ITEMS_TO_USER', limit: 3 });
    const boosts = [{ if: 'item.parity == "1"', factor: 2 }];
    const answers = [
      await recommend({ user_id: 'u0', scenario: 'home', explain: true }),
      await recommend({ user_id: 'u1', limit: 4, boosts }),
      await caller.call('recommendItemsToItem', { project_id, item_id: 'i1', limit: 2 }),
      await caller.call('rankItemsForUser', { project_id, user_id: 'u2', item_ids: ['i1', 'i2', 'none'] }),
      await caller.call('recommendPopularItems', { project_id, limit: 2 }),
    ];
    const readAll = () => Promise.all(answers.map(({ recommendation_id }) => given(recommendation_id)));
    await expect.poll(() => readAll().catch(() => []), settled).toHaveLength(answers.length);
    const early = await readAll();
    for (const [index, one] of early.entries()) {
      expect(one.results.map(({ item_id }) => item_id)).toEqual(
        answers[index]?.results.map(({ item }) => item.item_id),
      );
      const models = { generator_model_id: model, ranker_model_id: null };
      expect(one).toMatchObject({ project_id, ...models, variant: null });
      expect(one.user_id).toBe(answers[index]?.user_id);
    }
    expect(early.map(({ question }) => question)).toEqual([
      'ITEMS_TO_USER',
      'ITEMS_TO_USER',
      'ITEMS_TO_ITEM',
      'RANKING',
      'POPULAR',
    ]);
    expect(early[0]).toMatchObject({ scenario: 'home', scenario_version: 1, request: { limit: 3 } });
    expect(early[0]?.results.map(({ score, reasons }) => ({ score, reasons }))).toEqual(
      answers[0]?.results.map(({ score, reasons }) => ({ score, reasons })),
    );
    const request = { limit: 4, boosts };
    expect(early[1]).toMatchObject({ scenario: 'default', scenario_version: null, request });
    const rules = early[1]?.results.flatMap((result) => result.rules);
    expect(rules?.every(({ rule, factor }) => rule === 'boost' && factor === 2)).toBe(true);
    await allSorted();
    expect(await readAll()).toEqual(early);
    expect((await files()).reduce((sum, file) => sum + file.answers, 0)).toBe(answers.length);
  });

  test('knows which answers a person tried out in the console', async () => {
    const { project_id } = project;
    const browser = await signedIn(api, caller.accountId, 'EDITOR');
    const tried = await browser.ask('recommendItemsToUser', { project_id, user_id: 'u3' });
    const real = await recommend({ user_id: 'u3' });
    const isTrial = async (id: unknown) => (await given(String(id)).catch(() => undefined))?.is_trial;
    await expect.poll(() => isTrial(tried.body['recommendation_id']), settled).toBe(true);
    await expect.poll(() => isTrial(real.recommendation_id), settled).toBe(false);
  });

  test('shows an answer to its own account and project only', async () => {
    const { recommendation_id } = await recommend({ user_id: 'u3' });
    await expect.poll(() => given(recommendation_id).catch(() => undefined), settled).toBeDefined();
    const stranger = await api.newCaller();
    const theirs = await makeProject(stranger);
    const other = await makeProject(caller);
    const ask = async (who: Caller, project_id: string, id = recommendation_id) =>
      (await who.ask('getRecommendation', { project_id, recommendation_id: id })).body.code;
    expect(await ask(stranger, project.project_id)).toBe('NOT_FOUND');
    expect(await ask(stranger, theirs.project_id)).toBe('NOT_FOUND');
    expect(await ask(caller, other.project_id)).toBe('NOT_FOUND');
    expect(await ask(caller, project.project_id, newId('recommendation'))).toBe('NOT_FOUND');
    expect(await ask(caller, project.project_id, 'none')).toBe('NOT_FOUND');
  });

  test('sorts each batch exactly once, even if two workers do it at the same time', async () => {
    await allSorted();
    const before = (await files()).reduce((sum, file) => sum + file.answers, 0);
    const count = 50;
    await logAnswers(
      api.store,
      Array.from({ length: count }, (_, n) => answerTo(`twin${n}`)),
    );
    await Promise.allSettled([sortBatches(context(), log), sortBatches(context(), log)]);
    await allSorted();
    expect((await files()).reduce((sum, file) => sum + file.answers, 0)).toBe(before + count);
  });

  test('merges small files without losing an answer', async () => {
    const day = dayOf(Date.now());
    const ids: string[] = [];
    for (let n = 0; n < 16; n++) {
      const answer = answerTo(`small${n}`);
      ids.push(answer.recommendation_id);
      await logAnswers(api.store, [answer]);
      await sortBatches(context(), log).catch(() => undefined);
    }
    await allSorted();
    const before = await files();
    const { project_id } = project;
    const project_key = await projectKeyOf(api.db, project_id);
    const merging = { project_key, account_id: caller.accountId, project_id, day };
    // A worker may have merged them already.
    await mergeSmallFiles(context(), merging).catch(() => undefined);
    const after = await files();
    expect(after.length).toBeLessThan(16);
    expect(after.reduce((sum, file) => sum + file.answers, 0)).toBe(
      before.reduce((sum, file) => sum + file.answers, 0),
    );
    for (const { file_key } of after) expect(file_key).toBeGreaterThan(2 ** 31);
    for (const id of [ids[0], ids[15]]) expect((await given(id ?? '')).recommendation_id).toBe(id);
  });

  test('erases the answers to a user, and no others', async () => {
    const { project_id } = project;
    const mine = await recommend({ user_id: 'u5' });
    const others = await recommend({ user_id: 'u50' });
    const { erasure_id } = await caller.call('eraseUser', { user_id: 'u5' });
    const { removed } = await untilErased(caller, erasure_id);
    const { recommendation_id } = mine;
    expect((await caller.ask('getRecommendation', { project_id, recommendation_id })).status).toBe(404);
    expect((await given(others.recommendation_id)).user_id).toBe('u50');
    expect(removed).toContainEqual({ where: project_id, kind: 'DECISIONS', count: 1 });
  });

  test('names the model that a call names, rather than the deployed one', async () => {
    const model_id = await trainModel(caller, project);
    const named = await recommend({ user_id: 'u3', model_id });
    const modelOf = () =>
      given(named.recommendation_id).then(
        ({ generator_model_id }) => generator_model_id,
        () => undefined,
      );
    await expect.poll(modelOf, settled).toBe(model_id);
  });

  test('removes the files of days that are no longer kept', async () => {
    await allSorted();
    expect(await expireDecisionFiles(api.db, dayOf(Date.now()), 100)).toBe(0);
    const count = (await files()).length;
    expect(await expireDecisionFiles(api.db, dayOf(Date.now()) + 1, 100)).toBe(count);
    const stored = async () => (await api.objectKeys()).filter((key) => key.startsWith('decisions/acc_'));
    await expect.poll(stored, settled).toEqual([]);
  });

  test('leaves nothing behind if a file cannot be written', async () => {
    const { accountId: account_id } = caller.credentials;
    const projects = await Promise.all(Array.from({ length: 20 }, () => insertProject(api.db, account_id)));
    await allSorted();
    // The worker, which does not fail, must not be first.
    await api.rows("UPDATE periodic_tasks SET due_at = now() + interval '1 minute'");
    await logAnswers(
      api.store,
      projects.map(({ project_id }) => loggedAnswer({ account_id, project_id })),
    );
    let puts = 0;
    const put: TestApi['store']['put'] = async (...file) => {
      if (++puts === 12) throw new Error('the disk is full');
      return api.store.put(...file);
    };
    const store = { list: api.store.list.bind(api.store), read: api.store.read.bind(api.store), put };
    await expect(sortBatches({ ...context(), store }, log)).rejects.toThrow('the disk is full');
    const announced = await api.rows(
      "SELECT FROM loose_objects WHERE object_key LIKE 'decisions/%' AND claimed_until > now() + interval '30 minutes'",
    );
    expect(announced).toEqual([]);
    await api.rows('UPDATE periodic_tasks SET due_at = now()');
    await allSorted();
    for (const { project_id } of projects) expect(await readLoggedIds(api, project_id)).toHaveLength(1);
  });

  test('sorts the answers of many projects, each into its own file', async () => {
    const { accountId: account_id } = caller.credentials;
    const given: Record<string, string[]> = {};
    for (let n = 0; n < 40; n++) given[(await insertProject(api.db, account_id)).project_id] = [];
    const answers = Array.from({ length: 3 }, () => Object.keys(given)).flatMap((project_ids) =>
      project_ids.map((project_id) => loggedAnswer({ account_id, project_id })),
    );
    for (const { project_id, recommendation_id } of answers) given[project_id]?.push(recommendation_id);
    await logAnswers(api.store, answers);
    await allSorted();
    for (const [project_id, ids] of Object.entries(given))
      expect((await readLoggedIds(api, project_id)).toSorted()).toEqual(ids.toSorted());
    const listed = await api.rows<{ first_id: string; last_id: string; answers: number; project_id: string }>(
      'SELECT project_id, first_id, last_id, answers FROM decision_files JOIN projects USING (project_key) WHERE project_id = ANY($1)',
      [Object.keys(given)],
    );
    expect(listed).toHaveLength(40);
    const keys = await api.rows<{ project_key: number; day: number }>(
      'SELECT project_key, day FROM decision_files JOIN projects USING (project_key) WHERE project_id = ANY($1)',
      [Object.keys(given)],
    );
    const absent = { project_key: keys[0]?.project_key ?? 0, day: 1 };
    expect(await listCrowdedDays(api.db, [absent, ...keys], 1, 4)).toEqual(keys);
    for (const [files, answers] of [
      [2, 4],
      [1, 3],
    ] as const)
      expect(await listCrowdedDays(api.db, keys, files, answers)).toEqual([]);
    for (const file of listed) {
      const ids = given[file.project_id]?.toSorted() ?? [];
      expect(file).toMatchObject({ first_id: ids[0], last_id: ids[2], answers: 3 });
    }
  });

  const answerTo = (user_id: string) => {
    const { project_id } = project;
    return loggedAnswer({ account_id: caller.accountId, project_id, model_id: model, user_id });
  };
});
