import { limits, type Request } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { limitedTo } from '../stack/caller.ts';
import { copyModel, deploy, deployed, makeTrained } from '../stack/deployment-cell.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';
import { makeEmptyProject } from '../stack/training.ts';

type Sent = Omit<Request<'createExperiment'>, 'project_id'>;

let other: string;

const project = perFile(() => makeTrained(caller), test);

test.beforeAll(async () => {
  other = await copyModel(api, project.model_id);
  const { project_id, model_id } = project;
  await deploy(caller, { project_id }, { generator_model_id: model_id, qps: 1000 });
});

const plain: Sent = { name: 'plain', scenario: 'default', variants: [{ name: 'a' }, { name: 'b' }] };
const create = (sent: Partial<Sent> = {}) =>
  caller.ask('createExperiment', { project_id: project.project_id, ...plain, ...sent });
const started = async (sent: Partial<Sent> = {}) =>
  caller.call('createExperiment', { project_id: project.project_id, ...plain, ...sent });
const stop = (experiment_id: string, promote?: string) =>
  caller.ask('stopExperiment', { project_id: project.project_id, experiment_id, promote });
const makeScenario = (name: string) => {
  const { project_id } = project;
  return caller.call('createScenario', { project_id, name, question: 'ITEMS_TO_USER', limit: 3 });
};

describe('an experiment', () => {
  test('is refused with the field that is wrong', async () => {
    const { model_id } = project;
    const paths = async (sent: Partial<Sent>) => {
      const { status, body } = await create(sent);
      return { status, paths: body.errors.map(({ path }) => path) };
    };
    const wrong: [Partial<Sent>, string][] = [
      [{ variants: [{ name: 'a' }, { name: 'a' }] }, 'variants.1.name'],
      [{ variants: [{ name: 'a' }, { name: 'b', share: 0.5 }] }, 'variants'],
      [
        {
          variants: [
            { name: 'a', share: 0.6 },
            { name: 'b', share: 0.5 },
          ],
        },
        'variants',
      ],
      [{ variants: [{ name: 'a' }, { name: 'b', ranker_model_id: model_id }] }, 'variants.1.ranker_model_id'],
      [{ variants: [{ name: 'a' }, { name: 'b', scenario_version: 1 }] }, 'variants.1.scenario_version'],
    ];
    for (const [sent, path] of wrong) expect(await paths(sent)).toEqual({ status: 400, paths: [path] });
    expect((await create({ variants: [{ name: 'a' }] })).status).toBe(400);
    expect((await create({ variants: 'abcdef'.split('').map((name) => ({ name })) })).status).toBe(400);
    expect((await create({ window_hours: 0 })).status).toBe(400);
    expect((await create({ scenario: 'nowhere' })).status).toBe(404);
    expect((await create({ variants: [{ name: 'a' }, { name: 'b', model_id: 'mdl_x' }] })).status).toBe(404);
    await makeScenario('checked');
    const absentVersion = [{ name: 'a' }, { name: 'b', scenario_version: 7 }];
    expect((await create({ scenario: 'checked', variants: absentVersion })).status).toBe(404);
  });

  test('is the only running one of its scenario, and is listed newest first', async () => {
    const settings = { metric: 'VALUE', window_hours: 1 } as const;
    const first = await started(settings);
    const undecided = { state: 'RUNNING', verdict: 'UNDECIDED', winner: null, stopped_ts: null };
    expect(first).toMatchObject({ ...settings, ...undecided });
    expect(first.variants.map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect((await create()).body.code).toBe('EXPERIMENT_RUNNING');
    expect((await stop(first.experiment_id)).body).toMatchObject({ state: 'STOPPED', promoted: null });
    const second = await started();
    const { project_id } = project;
    const { experiments } = await caller.call('listExperiments', { project_id, page_size: 2 });
    const { experiment_id } = second;
    expect(experiments.map((one) => one.experiment_id)).toEqual([experiment_id, first.experiment_id]);
    const results = await caller.call('getExperiment', { project_id, experiment_id });
    expect(results).toMatchObject({ ...second, measured_ts: null, days: [] });
    expect(results.sample_ratio).toEqual({ p_value: 1, is_mismatch: false });
    expect(results.results.map(({ name, users, verdict }) => [name, users, verdict])).toEqual([
      ['a', 0, 'CONTROL'],
      ['b', 0, 'UNDECIDED'],
    ]);
    // Repeated, it changes nothing; with another variant, it is refused.
    expect((await stop(experiment_id)).status).toBe(200);
    expect((await stop(experiment_id)).status).toBe(200);
    expect((await stop(experiment_id, 'a')).body.code).toBe('EXPERIMENT_STOPPED');
  });

  test('keeps its models and its scenario from being deleted while it runs', async () => {
    const { project_id } = project;
    const [model_id, ranker_model_id] = [await copyModel(api, other), await copyModel(api, other)];
    await makeScenario('kept');
    const { experiment_id } = await started({
      scenario: 'kept',
      variants: [{ name: 'a' }, { name: 'b', model_id, ranker_model_id }],
    });
    const remove = async () => [
      (await caller.ask('deleteModel', { project_id, model_id })).status,
      (await caller.ask('deleteModel', { project_id, model_id: ranker_model_id })).status,
      (await caller.ask('deleteScenario', { project_id, name: 'kept' })).status,
    ];
    expect(await remove()).toEqual([409, 409, 409]);
    const { body } = await caller.ask('deleteModel', { project_id, model_id });
    expect(body.code).toBe('EXPERIMENT_RUNNING');
    await stop(experiment_id);
    expect(await remove()).toEqual([200, 200, 200]);
    const after = await caller.call('getExperiment', { project_id, experiment_id });
    expect(after.variants[1]).toMatchObject({ model_id, ranker_model_id });
  });

  test('promotes a variant: deploys its models, which can be rolled back, and makes its settings the newest version', async () => {
    const { project_id, model_id } = project;
    await makeScenario('promoted');
    for (const limit of [4, 5]) await caller.call('updateScenario', { project_id, name: 'promoted', limit });
    const { experiment_id } = await started({
      scenario: 'promoted',
      variants: [{ name: 'a' }, { name: 'b', model_id: other, scenario_version: 1 }],
    });
    expect((await stop(experiment_id, 'c')).body.errors[0]?.path).toBe('promote');
    expect((await stop(experiment_id, 'b')).body).toMatchObject({ state: 'STOPPED', promoted: 'b' });
    expect((await stop(experiment_id, 'b')).status).toBe(200);
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: other, qps: 1000 });
    const scenario = await caller.call('getScenario', { project_id, name: 'promoted' });
    expect(scenario).toMatchObject({ version: 4, limit: 3 });
    await caller.call('rollbackDeployment', { project_id });
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: model_id });
  });

  test('cannot promote what the caller could not do', async () => {
    const { experiment_id } = await started({
      variants: [{ name: 'a' }, { name: 'b', model_id: other }],
    });
    const limited = await limitedTo(caller, 'stopExperiment');
    const sent = { project_id: project.project_id, experiment_id };
    const { body } = await limited.ask('stopExperiment', { ...sent, promote: 'b' });
    expect(body.code).toBe('SCOPE_MISSING');
    expect((await limited.ask('stopExperiment', sent)).status).toBe(200);
  });

  test('is bounded per account and per project, and deleted with its project', async () => {
    const another = await api.newCaller();
    const { project_id } = await makeEmptyProject(another);
    const begin = async (scenario: string) =>
      (await another.ask('createExperiment', { project_id, ...plain, scenario })).body.code;
    expect(await begin('default')).toBeUndefined();
    for (let n = 1; n < limits.runningExperiments; n++) {
      await another.call('createScenario', { project_id, name: `s${n}`, question: 'ITEMS_TO_USER' });
      expect(await begin(`s${n}`)).toBeUndefined();
    }
    await another.call('createScenario', { project_id, name: 'full', question: 'ITEMS_TO_USER' });
    expect(await begin('full')).toBe('QUOTA_EXCEEDED');
    await api.rows(
      `WITH old AS (
          INSERT INTO experiments (experiment_id, project_key, name, scenario, metric, window_hours, stopped_at)
          SELECT 'exp_' || n, project_key, 'old', 'old', 'VALUE', 1, now() FROM projects, generate_series(1, 300) n
          WHERE project_id = $1 RETURNING experiment_key)
        INSERT INTO experiment_variants (experiment_key, position, name, share) SELECT experiment_key, 0, 'a', 1 FROM old`,
      [project_id],
    );
    const { experiments } = await another.call('listExperiments', { project_id });
    const running = experiments.find(({ scenario }) => scenario === 's1')?.experiment_id ?? '';
    await another.call('stopExperiment', { project_id, experiment_id: running });
    expect(await begin('full')).toBeUndefined();
    const kept = (await another.call('listExperiments', { project_id })).experiments;
    expect(kept).toHaveLength(limits.experimentsPerProject);
    expect(kept.filter(({ state }) => state === 'RUNNING')).toHaveLength(limits.runningExperiments);
    await another.call('deleteProject', { project_id });
    const left = 'SELECT FROM experiments x JOIN projects p USING (project_key) WHERE project_id = $1';
    expect(await api.rows(left, [project_id])).toEqual([]);
  });
});
