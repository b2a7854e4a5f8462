import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { upsertPlan } from '../../../src/accounts/rows/accounts.ts';
import { whileModelsExist } from '../../../src/deployments/trials/try-on-servers.ts';
import { upsertDeployment } from '../../../src/projects/rows/deployments.ts';
import {
  copyModel,
  deploy,
  deployed,
  deploymentProduct,
  holdTrials,
  makeTrained,
  startServer,
  submitDeployment,
  waitForRows,
} from '../stack/deployment-cell.ts';
import { projectKeyOf } from '../stack/kinds.ts';
import { api, caller, ownProduct, perFile, problem } from '../stack/stack.ts';
import { ended, failed, submit, succeeded, waitForJob } from '../stack/training.ts';

ownProduct(...deploymentProduct);
const project = perFile(() => makeTrained(caller));

describe('a deployment', () => {
  test("is part of the project's record once its job succeeds", async () => {
    const { project_id, model_id } = project;
    expect(await deployed(caller, project)).toBeNull();
    const before = Date.now();
    const job = await deploy(caller, project, { generator_model_id: model_id });
    expect(job).toMatchObject({ ...succeeded(), job_type: 'DEPLOYMENT', name: 'a deployment' });
    expect(job.job_data).toEqual({ generator_model_id: model_id, ranker_model_id: null });
    const shown = await caller.call('getProject', { project_id });
    expect(job.job_result).toEqual({ serving_uri: shown.serving_uri });
    const deployment = {
      generator_model_id: model_id,
      ranker_model_id: null,
      qps: 1,
      deployed_ts: expect.any(Number) as number,
      previous_model_id: null,
    };
    expect(shown.deployment).toEqual(deployment);
    expect(shown.deployment?.deployed_ts).toBeGreaterThanOrEqual(before - 1000);
    const { projects } = await caller.call('listProjects', {});
    expect(projects.find((each) => each.project_id === project_id)?.deployment).toEqual(deployment);
    const renamed = await caller.call('updateProject', { project_id, name: 'p' });
    expect(renamed.deployment).toEqual(deployment);
  });

  test('replaces another without a shutdown, and of two concurrent ones both succeed and one remains', async () => {
    await startServer(api);
    const [one, other] = [await copyModel(api, project.model_id), await copyModel(api, project.model_id)];
    await deploy(caller, project, { generator_model_id: one, ranker_model_id: other, qps: 7 });
    expect(await deployed(caller, project)).toMatchObject({
      generator_model_id: one,
      ranker_model_id: other,
      qps: 7,
    });
    const jobs = await Promise.all(
      [one, other].map((generator_model_id) => deploy(caller, project, { generator_model_id })),
    );
    for (const job of jobs) expect(job).toMatchObject(succeeded());
    const last = await deployed(caller, project);
    expect([one, other]).toContain(last?.generator_model_id);
    // Without a qps, the current one stays.
    expect(last).toMatchObject({ ranker_model_id: null, qps: 7 });
  });

  test('does not wait behind trainings', async () => {
    const { project_id, model_id } = project;
    await startServer(api);
    const trainings: string[] = [];
    for (let n = 0; n < 20; n++) trainings.push(await submit(caller, project));
    expect(await deploy(caller, project, { generator_model_id: model_id })).toMatchObject(succeeded());
    const left = await Promise.all(trainings.map((job_id) => caller.call('getJob', { project_id, job_id })));
    expect(left.filter((job) => !ended(job)).length).toBeGreaterThan(0);
    await Promise.all(trainings.map((job_id) => caller.ask('cancelJob', { project_id, job_id })));
  });

  test("of another project's models is refused at submission", async () => {
    const stranger = await api.newCaller();
    const other = await makeTrained(stranger);
    const absent = 'mdl_00000000000000000000000000';
    const ask = (models: object) =>
      caller.ask('submitDeploymentJob', { project_id: project.project_id, name: 'x', ...models });
    for (const models of [
      { generator_model_id: absent },
      { generator_model_id: other.model_id },
      { generator_model_id: project.model_id, ranker_model_id: absent },
    ])
      expect(await ask(models)).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await ask({ generator_model_id: project.model_id, qps: 0 })).toMatchObject({ status: 400 });
  });

  test('may request as many queries per second as the plan allows, and no more', async () => {
    await upsertPlan(api.db, { plan: 'slow', max_event_shards: 100, max_training_hours: null, max_qps: 5 });
    const limited = await api.newCaller('slow');
    const own = await makeTrained(limited);
    const request = { project_id: own.project_id, name: 'x', generator_model_id: own.model_id };
    const refused = await limited.ask('submitDeploymentJob', { ...request, qps: 6 });
    expect(refused).toMatchObject(problem(403, 'QUOTA_EXCEEDED'));
    expect(refused.body.detail).toMatch(/\b5\b.*\b6\b/);
    expect(await deploy(limited, own, { generator_model_id: own.model_id, qps: 5 })).toMatchObject(
      succeeded(),
    );
    expect(await deployed(limited, own)).toMatchObject({ qps: 5 });
  });
});

describe('a shutdown', () => {
  test('removes the deployment, can be repeated, and returns 404 for an unknown project', async () => {
    const { project_id, model_id } = project;
    await deploy(caller, project, { generator_model_id: model_id });
    for (let n = 0; n < 2; n++) {
      expect(await caller.call('shutdownDeployment', { project_id })).toEqual({ project_id });
      expect(await deployed(caller, project)).toBeNull();
    }
    const stranger = await api.newCaller();
    expect(await stranger.ask('shutdownDeployment', { project_id })).toMatchObject({ status: 404 });
  });

  test('does not affect a deployment in progress', async () => {
    const { project_id, model_id } = project;
    const held = await holdTrials(api);
    await startServer(api);
    const job_id = await submitDeployment(caller, project, { generator_model_id: model_id });
    await waitForRows(api, 'trial_reports', 1);
    await caller.call('shutdownDeployment', { project_id });
    await held.release();
    expect(await waitForJob(caller, project_id, job_id)).toMatchObject(succeeded());
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: model_id });
  });
});

describe('a model', () => {
  test('cannot be deleted while it is deployed, in either role, and the error names the operation to use', async () => {
    const { project_id } = project;
    const [one, other] = [await copyModel(api, project.model_id), await copyModel(api, project.model_id)];
    await deploy(caller, project, { generator_model_id: one, ranker_model_id: other });
    for (const model_id of [one, other]) {
      const refused = await caller.ask('deleteModel', { project_id, model_id });
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'MODEL_DEPLOYED', resolve_with: '/shutdown-deployment' },
      });
      expect((await caller.ask('getModel', { project_id, model_id })).status).toBe(200);
    }
    await caller.call('shutdownDeployment', { project_id });
    for (const model_id of [one, other]) await caller.call('deleteModel', { project_id, model_id });
  });

  test('that is deployed and deleted concurrently ends in one state or the other, never both', async () => {
    const { project_id } = project;
    const project_key = await projectKeyOf(api.db, project_id);
    const ends = { deployed: 0, deleted: 0 };
    for (let round = 0; round < 60; round++) {
      await caller.call('shutdownDeployment', { project_id });
      const model_id = await copyModel(api, project.model_id);
      const [model] = await api.rows<{ model_key: number }>(
        'SELECT model_key FROM models WHERE model_id = $1',
        [model_id],
      );
      const models = { generator_model_key: model?.model_key ?? 0, ranker_model_key: null };
      const [published, removed] = await Promise.allSettled([
        sleep(Math.random() * 10).then(() =>
          api.db.transaction((tx) =>
            whileModelsExist(upsertDeployment(tx, { project_key, ...models, keeps_qps: false, qps: 1 })),
          ),
        ),
        sleep(Math.random() * 10).then(() => caller.ask('deleteModel', { project_id, model_id })),
      ]);
      const status = removed.status === 'fulfilled' ? removed.value.status : 0;
      if (published.status === 'fulfilled') {
        expect(status).toBe(409);
        expect(await deployed(caller, project)).toMatchObject({ generator_model_id: model_id });
        ends.deployed++;
      } else {
        expect(published.reason).toMatchObject({ code: 'MODEL_DELETED' });
        expect(status).toBe(200);
        expect(await deployed(caller, project)).toBeNull();
        ends.deleted++;
      }
    }
    // Both outcomes occurred; otherwise there was no race.
    expect(Math.min(ends.deployed, ends.deleted)).toBeGreaterThan(0);
  });

  test('that is deleted during its deployment fails the job, and the previous deployment stays', async () => {
    const { project_id, model_id } = project;
    await deploy(caller, project, { generator_model_id: model_id });
    const doomed = await copyModel(api, model_id);
    await holdTrials(api);
    const job_id = await submitDeployment(caller, project, { generator_model_id: doomed });
    await waitForRows(api, 'deployment_trials', 1);
    await caller.call('deleteModel', { project_id, model_id: doomed });
    const job = await waitForJob(caller, project_id, job_id);
    expect(job).toMatchObject(failed('MODEL_DELETED'));
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: model_id });
  });
});

test('a project is deleted with its deployment, also with one in progress', async () => {
  const owner = await api.newCaller();
  const own = await makeTrained(owner);
  const { project_id, model_id } = own;
  const ranker_model_id = await copyModel(api, model_id);
  await deploy(owner, own, { generator_model_id: model_id, ranker_model_id, qps: 3 });
  await holdTrials(api);
  await submitDeployment(owner, own, { generator_model_id: model_id });
  await waitForRows(api, 'deployment_trials', 1);
  const last = await owner.call('deleteProject', { project_id });
  expect(last.deployment).toMatchObject({ generator_model_id: model_id, ranker_model_id, qps: 3 });
  expect((await owner.ask('getProject', { project_id })).status).toBe(404);
  expect(await api.rows('SELECT FROM deployment_trials')).toEqual([]);
  const file = `models/${ranker_model_id}.tgm`;
  await expect.poll(() => api.objectKeys()).not.toContain(file);
});
