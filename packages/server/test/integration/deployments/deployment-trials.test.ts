import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { tryOnServers } from '../../../src/deployments/trials/try-on-servers.ts';
import { openObjectStore } from '../../../src/kernel/objects/open.ts';
import {
  copyModel,
  deploy,
  deployed,
  deploymentProduct,
  holdTrials,
  leaveDeadServer,
  makeTrained,
  objectOf,
  readModel,
  startServer,
  submitDeployment,
  waitForRows,
} from '../stack/deployment-cell.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { failed, succeeded, waitForJob } from '../stack/training.ts';

/** Deployed before each test, and still deployed after each failed deployment. */
let serving: Awaited<ReturnType<typeof deployed>>;

ownProduct(...deploymentProduct);
const project = perFile(() => makeTrained(caller));
beforeEach(async () => {
  await api.rows('DELETE FROM servers');
  await deploy(caller, project, { generator_model_id: project.model_id, qps: 9 });
  serving = await deployed(caller, project);
});

async function expectNoTrials(): Promise<void> {
  await waitForRows(api, 'deployment_trials', 0);
  expect(await api.rows('SELECT FROM trial_reports')).toEqual([]);
}

/** Fails at once with the reason; the previous deployment still serves, and nothing is left of the trial. */
async function expectRefused(models: Parameters<typeof deploy>[2], reason: RegExp): Promise<void> {
  const job = await deploy(caller, project, models);
  expect(job).toMatchObject(failed('MODEL_UNFIT'));
  expect(job.error?.message).toMatch(reason);
  expect(await deployed(caller, project)).toEqual(serving);
  await expectNoTrials();
}

test('a slow trial of one project does not delay that of another', async () => {
  const other = await makeTrained(caller);
  const slow = await objectOf(api, await copyModel(api, project.model_id));
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = Object.create(api.store) as typeof api.store;
  store.read = async (key, options) => {
    if (key === slow.object_key) await held;
    return api.store.read(key, options);
  };
  const slowModel = slow.object_key.replace(/^models\/(.*)\.tgm$/, '$1');
  await startServer(api, store);
  const waiting = await submitDeployment(caller, project, { generator_model_id: slowModel });
  await waitForRows(api, 'deployment_trials', 1);
  // Long enough for the serving process to have started it.
  await sleep(1000);
  expect(await deploy(caller, other, { generator_model_id: other.model_id })).toMatchObject(succeeded());
  release();
  expect(await waitForJob(caller, project.project_id, waiting)).toMatchObject(succeeded());
});

describe('a model whose file', () => {
  const flip = (file: Buffer) => {
    const middle = Math.floor(file.length / 2);
    file.writeUInt8(file.readUInt8(middle) ^ 1, middle);
    return file;
  };
  test('is damaged is not deployed, with or without serving processes', async () => {
    const model = await copyModel(api, project.model_id);
    const { object_key } = await objectOf(api, model);
    await api.store.put(object_key, [flip(await readModel(api, model))]);
    await expectRefused({ generator_model_id: model }, /generator model.*damaged/);
    await startServer(api);
    const models = { generator_model_id: project.model_id, ranker_model_id: model };
    await expectRefused(models, /ranker model.*damaged/);
  });

  test('is truncated or missing is not deployed', async () => {
    const model = await copyModel(api, project.model_id);
    const { object_key } = await objectOf(api, model);
    await api.store.put(object_key, [(await readModel(api, model)).subarray(0, -100)]);
    await expectRefused({ generator_model_id: model }, /generator model.*damaged/);
    await api.store.delete(object_key);
    await expectRefused({ generator_model_id: model }, /generator model.*object store/);
  });

  test('is of another release is not deployed', async () => {
    const file = await readModel(api, project.model_id);
    file.writeUInt32LE(77, 4);
    const model = await copyModel(api, project.model_id, file);
    await expectRefused({ generator_model_id: model }, /generator model.*\bversion 77\b/);
  });

  test("passes the worker's check but not the serving process's is not deployed", async () => {
    // Its checksum and version are correct: only decoding finds the problem.
    const model = await copyModel(api, project.model_id, flip(await readModel(api, project.model_id)));
    await startServer(api);
    await expectRefused({ generator_model_id: model }, /generator model.*checksum/);
  });
});

describe('serving processes', () => {
  test('all have the models in memory before the switch, and the trial is removed', async () => {
    const servers = [await startServer(api), await startServer(api)];
    const model = await copyModel(api, project.model_id);
    const job = await deploy(caller, project, {
      generator_model_id: model,
      ranker_model_id: project.model_id,
    });
    expect(job).toMatchObject(succeeded());
    const { size } = await objectOf(api, model);
    for (const { models } of servers) expect(models.bytes).toBeGreaterThan(2 * size);
    await expectNoTrials();
  });

  test('prevent a deployment if one of them cannot load it', async () => {
    const root = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
    await using elsewhere = await openObjectStore({ kind: 'folder', root, stepMs: 5000 });
    await startServer(api);
    await startServer(api, elsewhere);
    await expectRefused({ generator_model_id: project.model_id }, /generator model.*object store/);
    await rm(root, { recursive: true });
  });

  test('refuse models that recommend nothing', async () => {
    const empty = await makeTrained(caller);
    const ids = Array.from({ length: 40 }, (_, item) => `i${item}`);
    await caller.call('deleteDatasetItems', { item_dataset_id: empty.item_dataset_id, ids });
    await startServer(api);
    const job = await deploy(caller, empty, { generator_model_id: empty.model_id });
    expect(job).toMatchObject(failed('MODEL_UNFIT'));
  });

  test('that start during a trial are waited for; those that die are not, unless all die', async () => {
    const held = await holdTrials(api);
    const model = await copyModel(api, project.model_id);
    const job_id = await submitDeployment(caller, project, { generator_model_id: model });
    await waitForJob(caller, project.project_id, job_id, ({ progress }) => progress?.stage === 'trying');
    const late = await startServer(api);
    await leaveDeadServer(api);
    await waitForRows(api, 'trial_reports', 1);
    expect(late.models.bytes).toBeGreaterThan(0);
    // Ten times as long as a worker takes to see a report: one success is not all.
    await sleep(1000);
    expect(await deployed(caller, project)).toEqual(serving);
    await held.release();
    expect(await waitForJob(caller, project.project_id, job_id)).toMatchObject(succeeded());
    expect(await deployed(caller, project)).toMatchObject({ generator_model_id: model });
  });

  test('that all die during a trial prevent the deployment, which is retried', async () => {
    await leaveDeadServer(api);
    const job_id = await submitDeployment(caller, project, { generator_model_id: project.model_id, qps: 2 });
    await waitForJob(caller, project.project_id, job_id, ({ retry_count }) => retry_count > 0);
    expect(await deployed(caller, project)).toEqual(serving);
    // Now there is no serving process from the start: the worker's own check is enough.
    expect(await waitForJob(caller, project.project_id, job_id)).toMatchObject(succeeded(1));
  });

  test('are removed from the list when they shut down', async () => {
    const server = await startServer(api);
    expect(await api.rows('SELECT server_id FROM servers')).toEqual([{ server_id: server.serverId }]);
    await server.stop();
    expect(await api.rows('SELECT FROM servers')).toEqual([]);
  });
});

describe('a trial', () => {
  /** The keys of an attempt that runs until it is canceled. */
  async function insertRunning(): Promise<{ job_key: number; attempt: number; model_key: number }> {
    const [row] = await api.rows<{ job_key: number; attempt: number; model_key: number }>(
      `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status, attempt)
        SELECT 'running', j.account_id, j.project_key, 'DEPLOYMENT', 'x', '{}', 0, 'RUNNING', 1
        FROM jobs j JOIN models m USING (job_key) WHERE m.model_id = $1
        RETURNING job_key, attempt, (SELECT model_key FROM models WHERE model_id = $1)`,
      [project.model_id],
    );
    if (!row) throw new Error('no attempt was inserted');
    return row;
  }

  test('without a report from a live process ends in time, to be retried', async () => {
    await holdTrials(api);
    const { model_key, ...hold } = await insertRunning();
    const models = { generator_model_key: model_key, ranker_model_key: null };
    const { signal } = new AbortController();
    await expect(tryOnServers(api.db, hold, models, signal, 500)).rejects.toMatchObject({
      code: 'SERVING_SILENT',
    });
    await expectNoTrials();
    await api.rows("DELETE FROM jobs WHERE job_id = 'running'");
  });

  test('of a worker that died is removed by the next deployment, and no process runs it', async () => {
    const other = await copyModel(api, project.model_id);
    const { job_key } = await insertRunning();
    await api.rows(
      `INSERT INTO deployment_trials (job_key, attempt, project_key, generator_model_key)
        SELECT job_key, attempt, project_key, (SELECT model_key FROM models WHERE model_id = $2)
        FROM jobs WHERE job_key = $1`,
      [job_key, other],
    );
    await api.rows("UPDATE jobs SET job_status = 'FAILED' WHERE job_key = $1", [job_key]);
    const server = await startServer(api);
    const job = await deploy(caller, project, { generator_model_id: project.model_id });
    expect(job).toMatchObject(succeeded());
    // Only one of the two models is in memory.
    const { size } = await objectOf(api, other);
    expect(server.models.bytes).toBeLessThan(2 * size);
    await expectNoTrials();
    await api.rows('DELETE FROM jobs WHERE job_key = $1', [job_key]);
  });

  test('of a canceled job ends, and nothing is switched', async () => {
    const { project_id, model_id } = project;
    await holdTrials(api);
    const job_id = await submitDeployment(caller, project, { generator_model_id: model_id, qps: 3 });
    await waitForRows(api, 'deployment_trials', 1);
    await caller.call('cancelJob', { project_id, job_id });
    await waitForRows(api, 'deployment_trials', 0);
    expect(await deployed(caller, project)).toEqual(serving);
  });
});
