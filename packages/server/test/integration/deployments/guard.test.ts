import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult, Request } from '@tastegraph/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertPastDeployment, lockDeployment } from '../../../src/projects/rows/past-deployments.ts';
import {
  copyModel,
  deploy,
  deployed,
  deploymentProduct,
  holdTrials,
  objectOf,
  readModel,
  startServer,
  waitForRows,
} from '../stack/deployment-cell.ts';
import { storeFutureEvents } from '../stack/kinds.ts';
import { api, caller, ownProduct, perFile, problem } from '../stack/stack.ts';
import { createAlgorithm, fixedParameters, makeProject, trainModel, waitForJob } from '../stack/training.ts';

let good: string;
let popular: string;

const users = 200;
/** Ten minutes ago. */
const recent = Date.now() - 600_000;

ownProduct(...deploymentProduct);
const project = perFile(() => makeProject(caller, { users, parameters: fixedParameters }));

beforeAll(async () => {
  // It is no news for any model.
  await storeFutureEvents(api, project.event_dataset_id, { user_id: 'far', item_id: 'i1' });
  good = await trainModel(caller, project);
  // It knows nothing of the users' tastes: truly worse.
  const algorithm_id = await createAlgorithm(caller, project.project_id, 'POPULAR');
  popular = await trainModel(caller, { ...project, algorithm_id });
}, 60_000);

/** Each user takes further items of the same taste, after everything that was trained on. */
async function buyMore(count: number, round: number): Promise<void> {
  const events = Array.from({ length: count }, (_, user) => ({
    event_id: `new${round}-${user}`,
    user_id: `u${user}`,
    item_id: `i${(2 * ((user * 7 + (8 + round) * 3) % 20) + (user % 2)) % 40}`,
    ts: recent + round,
    event_type: 'buy',
  }));
  await caller.call('upsertDatasetEvents', { event_dataset_id: project.event_dataset_id, events });
}

type Guard = NonNullable<Request<'submitDeploymentJob'>['guard']>;

async function deployGuarded(
  generator_model_id: string,
  guard: Guard = { max_loss: 0.01 },
): Promise<JobResult<'DEPLOYMENT'>> {
  const { project_id } = project;
  const request = { project_id, name: 'guarded', generator_model_id, guard };
  const { job_id } = await caller.call('submitDeploymentJob', request);
  const job = await waitForJob(caller, project_id, job_id);
  expect(job).toMatchObject({ job_status: 'SUCCEED', error: null, job_data: { guard } });
  return job.job_result as JobResult<'DEPLOYMENT'>;
}

describe('a guarded deployment', () => {
  test('deploys if nothing is deployed', async () => {
    await startServer(api);
    const result = await deployGuarded(good);
    expect(result).toMatchObject({
      deployed: true,
      guard: { verdict: 'NOTHING_DEPLOYED', users: 0, loss: null },
    });
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: good });
  });

  test('without enough newer events deploys or refuses, as the request says', async () => {
    await startServer(api);
    await buyMore(99, 0);
    const undecided = { verdict: 'UNDECIDED', users: 99, loss: null };
    expect(await deployGuarded(popular, { max_loss: 0.01, when_undecided: 'REFUSE' })).toMatchObject({
      deployed: false,
      guard: undecided,
    });
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: good });
    expect(await deployGuarded(popular)).toMatchObject({ deployed: true, guard: undecided });
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: popular });
    await deploy(caller, project, { generator_model_id: good });
  });

  test('refuses a worse model, deploys one that is not, and reports the figures', async () => {
    await startServer(api);
    await buyMore(users, 1);
    const { deployed: isDeployed, guard } = await deployGuarded(popular);
    expect({ isDeployed, guard }).toMatchObject({
      isDeployed: false,
      guard: {
        verdict: 'REFUSED',
        compared_with: { generator_model_id: good, ranker_model_id: null },
        users,
      },
    });
    expect(guard?.loss?.low).toBeGreaterThan(0.01);
    expect(guard?.loss?.value).toBeCloseTo(
      1 - (guard?.candidate_ndcg_at_20 ?? 0) / (guard?.deployed_ndcg_at_20 ?? 1),
      3,
    );
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: good });

    const same = await copyModel(api, good);
    expect(await deployGuarded(same)).toMatchObject({
      deployed: true,
      guard: { verdict: 'PASSED', loss: { value: 0 } },
    });
    await deploy(caller, project, { generator_model_id: popular });
    // Much better than what is deployed.
    expect(await deployGuarded(good)).toMatchObject({ deployed: true, guard: { verdict: 'PASSED' } });
  });

  test('allows the loss that the request allows', async () => {
    await startServer(api);
    expect(await deployGuarded(popular, { max_loss: 1 })).toMatchObject({
      deployed: true,
      guard: { verdict: 'PASSED' },
    });
    await deploy(caller, project, { generator_model_id: good });
  });

  test('compares only on events that the candidate was not trained on', async () => {
    await startServer(api);
    const { project_id, algorithm_id } = project;
    const whole = await trainModel(caller, project);
    const { training } = await caller.call('getModel', { project_id, model_id: whole });
    expect(training.data.newest_event_ts).toBe(recent + 1);
    expect(await deployGuarded(whole)).toMatchObject({ guard: { verdict: 'UNDECIDED', users: 0 } });
    await deploy(caller, project, { generator_model_id: good });

    const request = { project_id, algorithm_id, name: 'held out', holdout_hours: 1 };
    const { job_id } = await caller.call('submitTrainingJob', request);
    const job = await waitForJob(caller, project_id, job_id);
    expect(job.job_data).toMatchObject({ holdout_hours: 1 });
    const { model_id } = job.job_result as { model_id: string };
    const held = await caller.call('getModel', { project_id, model_id });
    expect(held.training.data.newest_event_ts).toBeLessThan(1_700_010_000_000);
    expect(await deployGuarded(model_id)).toMatchObject({
      deployed: true,
      guard: { verdict: 'PASSED', users },
    });
  });
});

test('a model that an older release trained on the future has read events until its training', async () => {
  await startServer(api);
  await api.rows(
    `UPDATE models SET training = jsonb_set(training, '{data,newest_event_ts}', '253402300799000') WHERE model_id = $1`,
    [good],
  );
  await deploy(caller, project, { generator_model_id: good });
  await buyMore(99, Date.now() - recent);
  expect((await deployGuarded(good)).guard).toMatchObject({ verdict: 'UNDECIDED', users: 99 });
});

describe('a rollback', () => {
  test('returns to the models before at once, then to those before them, and keeps qps', async () => {
    await startServer(api);
    const { project_id } = project;
    const models = [good, popular, await copyModel(api, good)];
    for (const generator_model_id of models) await deploy(caller, project, { generator_model_id, qps: 9 });
    // The same models again are no other deployment.
    await deploy(caller, project, { generator_model_id: models[2] ?? '', qps: 12 });
    for (const generator_model_id of [popular, good]) {
      const before = await deployed(caller, project);
      expect(before).toMatchObject({ previous_model_id: generator_model_id });
      const rolledBack = await caller.call('rollbackDeployment', { project_id });
      expect(rolledBack.deployment).toMatchObject({ generator_model_id, qps: 12 });
      expect(await deployed(caller, project)).toEqual(rolledBack.deployment);
    }
  });

  test('skips deleted models, and is refused if there are none left', async () => {
    await startServer(api);
    const own = await api.newCaller();
    const small = await makeProject(own, { parameters: fixedParameters });
    const { project_id } = small;
    const rollBack = () => own.ask('rollbackDeployment', { project_id });
    expect(await rollBack()).toMatchObject(problem(409, 'PROJECT_NOT_DEPLOYED'));
    const first = await trainModel(own, small);
    await deploy(own, small, { generator_model_id: first });
    expect(await rollBack()).toMatchObject(problem(409, 'NO_EARLIER_DEPLOYMENT'));
    const [second, third, last] = [
      await copyModel(api, first),
      await copyModel(api, first),
      await copyModel(api, first),
    ];
    for (const generator_model_id of [second, third, last]) await deploy(own, small, { generator_model_id });
    await own.call('deleteModel', { project_id, model_id: second });
    const returned = (generator_model_id: string, previous_model_id: string | null) => ({
      status: 200,
      body: { deployment: { generator_model_id, previous_model_id } },
    });
    expect(await rollBack()).toMatchObject(returned(third, first));
    expect(await rollBack()).toMatchObject(returned(first, null));
    expect(await rollBack()).toMatchObject(problem(409, 'NO_EARLIER_DEPLOYMENT'));
    await own.call('shutdownDeployment', { project_id });
    await deploy(own, small, { generator_model_id: third });
    expect(await rollBack()).toMatchObject(returned(first, null));
    const stranger = await api.newCaller();
    expect(await stranger.ask('rollbackDeployment', { project_id })).toMatchObject({ status: 404 });
  });

  test('keeps the models that it returns to from being deleted, until others are deployed or none', async () => {
    const { project_id } = project;
    const [generator_model_id, ranker_model_id] = [await copyModel(api, good), await copyModel(api, good)];
    await deploy(caller, project, { generator_model_id, ranker_model_id });
    await deploy(caller, project, { generator_model_id: good });
    for (const model_id of [generator_model_id, ranker_model_id])
      expect(await caller.ask('deleteModel', { project_id, model_id })).toMatchObject({
        status: 409,
        body: { code: 'MODEL_KEPT', resolve_with: '/submit-deployment-job' },
      });
    await deploy(caller, project, { generator_model_id: popular });
    await caller.call('deleteModel', { project_id, model_id: ranker_model_id });
    await deploy(caller, project, { generator_model_id });
    await deploy(caller, project, { generator_model_id: good });
    await caller.call('shutdownDeployment', { project_id });
    await caller.call('deleteModel', { project_id, model_id: generator_model_id });
  });

  test('has every serving process load and try the models before the switch, and tells webhooks', async () => {
    const { project_id } = project;
    const past = await copyModel(api, good);
    await deploy(caller, project, { generator_model_id: past });
    await deploy(caller, project, { generator_model_id: popular });
    const { webhook_id } = await caller.call('createWebhook', {
      url: 'https://example.com/',
      events: ['deployment.rolled_back'],
    });
    const { object_key } = await objectOf(api, past);
    const held = Promise.withResolvers<undefined>();
    const store = Object.create(api.store) as typeof api.store;
    store.read = async (key, options) => {
      if (key === object_key) await held.promise;
      return api.store.read(key, options);
    };
    const server = await startServer(api, store);
    const rollingBack = caller.call('rollbackDeployment', { project_id });
    await waitForRows(api, 'deployment_trials', 1);
    // Long enough for a switch that does not wait.
    await sleep(1000);
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: popular });
    held.resolve(undefined);
    expect((await rollingBack).deployment).toMatchObject({ generator_model_id: past });
    expect(server.models.count).toBe(1);
    await waitForRows(api, 'deployment_trials', 0);
    const [message] = await api.rows<{ body: string }>(
      'SELECT body FROM webhook_messages JOIN webhooks USING (webhook_key) WHERE webhook_id = $1',
      [webhook_id],
    );
    expect(JSON.parse(message?.body ?? '{}')).toMatchObject({
      type: 'deployment.rolled_back',
      data: {
        project_id,
        generator_model_id: past,
        ranker_model_id: null,
        replaced_generator_model_id: popular,
        replaced_ranker_model_id: null,
      },
    });
    await caller.call('deleteWebhook', { webhook_id });
  });

  test('is refused if the models cannot be served, and the current ones stay', async () => {
    const { project_id } = project;
    const file = await readModel(api, good);
    const middle = Math.floor(file.length / 2);
    file.writeUInt8(file.readUInt8(middle) ^ 1, middle);
    // Its checksum is that of the file: only a serving process finds the problem, and there is none yet.
    const damaged = await copyModel(api, good, file);
    await deploy(caller, project, { generator_model_id: damaged });
    await deploy(caller, project, { generator_model_id: good });
    await startServer(api);
    const before = await deployed(caller, project);
    const refused = () => caller.ask('rollbackDeployment', { project_id });
    expect(await refused()).toMatchObject(problem(409, 'MODEL_UNFIT'));
    await api.store.delete((await objectOf(api, damaged)).object_key);
    expect(await refused()).toMatchObject(problem(409, 'MODEL_UNFIT'));
    expect(await deployed(caller, project)).toEqual(before);
    await waitForRows(api, 'deployment_trials', 0);
  });

  test('of two at once, returns to the models before once', async () => {
    const { project_id } = project;
    const [first, second, third] = [await copyModel(api, good), await copyModel(api, good), good];
    for (const generator_model_id of [first, second, third])
      await deploy(caller, project, { generator_model_id });
    const held = await holdTrials(api);
    const both = [1, 2].map(() => caller.ask('rollbackDeployment', { project_id }));
    await waitForRows(api, 'deployment_trials', 2);
    await startServer(api);
    await waitForRows(api, 'trial_reports', 2);
    await held.release();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject(problem(409, 'DEPLOYMENT_CHANGED'));
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: second });
  });

  test('keeps the last ten deployments and forgets older ones', async () => {
    const [row] = await api.rows<{ project_key: number; model_key: number }>(
      'SELECT project_key, model_key FROM models WHERE model_id = $1',
      [popular],
    );
    const { project_key = 0, model_key = 0 } = row ?? {};
    const next = { generator_model_key: model_key, ranker_model_key: null };
    for (let n = 0; n < 12; n++)
      await api.db.transaction(async (tx) => {
        await lockDeployment(tx, project_key);
        await insertPastDeployment(tx, project_key, next);
      });
    expect(await api.rows('SELECT FROM past_deployments WHERE project_key = $1', [project_key])).toHaveLength(
      10,
    );
  });
});
