import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { expireResults } from '../../../src/jobs/expire.ts';
import { removeOrphanedObjects } from '../../../src/jobs/objects/remove-orphaned-objects.ts';
import {
  follow,
  linesOf,
  makeTwoTastes,
  resultOf,
  submitClustering,
  submitQueries,
} from '../stack/analysed-project.ts';
import { startTestApi } from '../stack/api.ts';
import { deploy } from '../stack/deployment-cell.ts';
import { runStep } from '../stack/run-step.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';

const log = pino({ level: 'silent' });

ownProduct();
const project = perFile(() => makeTwoTastes(caller, 20));

const query = () =>
  submitQueries(caller, project, {
    query_type: 'user_distribution',
    queries: [{ attribute: 'parity', value: 'odd' }],
  });
const filesOf = async (job_id: string) => (await api.objectKeys()).filter((key) => key.includes(job_id));
const gone = (job_id: string) => expect.poll(() => filesOf(job_id), { timeout: 10_000 }).toEqual([]);

/** Runs a worker's task until `done` returns true. */
async function runUntil(
  task: (stopping: AbortSignal) => Promise<void>,
  done: () => Promise<boolean>,
): Promise<void> {
  const stop = new AbortController();
  const running = task(stop.signal);
  await expect.poll(done, { timeout: 10_000 }).toBe(true);
  stop.abort();
  await running;
}

describe('/delete-job', () => {
  test('deletes a finished job with the files of its result, and returns its last record', async () => {
    const { project_id } = project;
    const job_id = await query();
    const { download_url } = await resultOf(caller, project_id, job_id);
    expect(await filesOf(job_id)).toHaveLength(2);
    const deleted = await caller.call('deleteJob', { project_id, job_id });
    expect(deleted).toMatchObject({ job_id, job_type: 'QUERYING', job_status: 'SUCCEED' });
    await gone(job_id);
    expect((await follow(caller, download_url)).status).toBe(404);
    for (const name of ['getJob', 'deleteJob'] as const)
      expect((await caller.ask(name, { project_id, job_id })).status).toBe(404);
    expect(await api.rows('SELECT FROM loose_objects')).toEqual([]);
  });

  test('refuses a job that waits or runs, and names the operation to use', async () => {
    const { project_id } = project;
    const insert = `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status)
      SELECT 'job_' || $2, account_id, project_key, 'TRAINING', 'x', '{}', 1, $2 FROM projects WHERE project_id = $1`;
    for (const job_status of ['PENDING', 'RUNNING']) {
      await api.rows(insert, [project_id, job_status]);
      const { status, body } = await caller.ask('deleteJob', { project_id, job_id: `job_${job_status}` });
      expect({ status, code: body.code, resolve_with: body.resolve_with }).toEqual({
        status: 409,
        code: 'JOB_NOT_ENDED',
        resolve_with: '/cancel-job',
      });
      await caller.call('cancelJob', { project_id, job_id: `job_${job_status}` });
      await caller.call('deleteJob', { project_id, job_id: `job_${job_status}` });
    }
  });

  test('keeps the model of a training and the deployment of a deployment job', async () => {
    const { project_id, model_id } = project;
    const { job_id } = await deploy(caller, project, { generator_model_id: model_id });
    await caller.call('deleteJob', { project_id, job_id });
    const { jobs } = await caller.call('listJobs', {
      project_id,
      job_type: 'TRAINING',
      job_status: 'SUCCEED',
    });
    expect(jobs.length).toBeGreaterThan(0);
    for (const training of jobs) await caller.call('deleteJob', { project_id, job_id: training.job_id });
    await caller.call('getModel', { project_id, model_id });
    expect((await caller.call('getProject', { project_id })).deployment).toMatchObject({
      generator_model_id: model_id,
    });
    const { results } = await caller.call('recommendItemsToUser', {
      project_id,
      user_id: 'nobody',
      limit: 1,
    });
    expect(results).toHaveLength(1);
    await caller.call('shutdownDeployment', { project_id });
  });

  test('of a clustering does not reuse the IDs of its groups', async () => {
    const { project_id } = project;
    const idsOf = async (job_id: string) => {
      const lines = await linesOf<{ cluster_id?: number; size?: number }>(
        caller,
        await resultOf(caller, project_id, job_id),
      );
      return lines.flatMap(({ cluster_id, size }) => (size === undefined ? [] : [cluster_id ?? 0]));
    };
    const first = await submitClustering(caller, project);
    const used = await idsOf(first);
    await caller.call('deleteJob', { project_id, job_id: first });
    const next = await idsOf(await submitClustering(caller, project));
    expect(Math.min(...next)).toBeGreaterThan(Math.max(...used));
  });
});

describe('a result', () => {
  test('expires after the configured days: its files are removed, and the job says so', async () => {
    const { project_id } = project;
    const [old, young] = [await query(), await query()];
    for (const job of [old, young]) await resultOf(caller, project_id, job);
    const age = `UPDATE jobs SET finished_at = finished_at - interval '31 days' WHERE job_id = $1`;
    await api.rows(age, [old]);
    const shown = async () => {
      const { job_result } = await caller.call('getJob', { project_id, job_id: old });
      return job_result as { download_url: string; expired_at_sec: number; message: string | null };
    };
    const isOver = async () => (await shown()).expired_at_sec * 1000 <= Date.now();
    await runUntil(
      (stopping) => runStep(expireResults({ db: api.db, log, config: api.config }), stopping),
      isOver,
    );
    await gone(old);
    const { download_url, message } = await shown();
    expect(message).toContain(new Date().toISOString().slice(0, 10));
    expect((await follow(caller, download_url)).status).toBe(404);
    expect(await filesOf(young)).toHaveLength(2);
    expect((await follow(caller, (await resultOf(caller, project_id, young)).download_url)).status).toBe(200);
    await caller.call('deleteJob', { project_id, job_id: old });
  });
});

describe('removing orphaned objects', () => {
  const insert = (key: string) => api.rows('INSERT INTO loose_objects (object_key) VALUES ($1)', [key]);
  const rows = async () =>
    (await api.rows<{ object_key: string }>('SELECT object_key FROM loose_objects')).map(
      (row) => row.object_key,
    );

  test('holds no transaction during store operations, and finishes after a crash', async () => {
    // Without a worker of the test's own.
    await using api = await startTestApi({}, async () => '');
    const count = (text: string) => api.rows(text);
    await api.rows(
      `INSERT INTO loose_objects (object_key) VALUES ('results/a/1/x.json'), ('results/b/1/x.json')`,
    );
    const open = () =>
      count(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      );
    const store = await waitingStore();
    const stop = new AbortController();
    const { db } = api;
    const running = runStep(removeOrphanedObjects({ db, store, log, stopping: stop.signal }), stop.signal);
    await expect.poll(() => store.deleting).toHaveLength(1);
    await sleep(100);
    expect(await open()).toEqual([]);
    // The process dies midway: another may take over the claimed objects when the claim expires, not before.
    stop.abort();
    await running;
    expect(await count('SELECT FROM loose_objects')).toHaveLength(2);
    await api.store.put('results/a/1/x.json', [Buffer.from('x')]);
    await count('UPDATE loose_objects SET claimed_until = clock_timestamp()');
    const none = async () => (await count('SELECT FROM loose_objects')).length === 0;
    await runUntil(
      (stopping) => runStep(removeOrphanedObjects({ db, store: api.store, log, stopping }), stopping),
      none,
    );
    expect(await api.objectKeys()).toEqual([]);
  });

  test('continues past an object that cannot be removed', async () => {
    // Not a valid key, so the store always refuses it.
    await insert('!');
    await insert('results/z/1/x.json');
    await expect.poll(rows, { timeout: 10_000 }).toEqual(['!']);
    await api.rows('DELETE FROM loose_objects');
  });

  async function waitingStore() {
    const deleting: string[] = [];
    return {
      deleting,
      delete: async (key: string, { signal }: { signal?: AbortSignal | undefined } = {}) => {
        deleting.push(key);
        await sleep(60_000, undefined, { signal });
      },
    };
  }
});
