import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/create-account.ts';
import { removeOrphanedObjects } from '../../../src/jobs/objects/remove-orphaned-objects.ts';
import { claimPeriodicTask, endPeriodicStep } from '../../../src/kernel/postgres/periodic-tasks.ts';
import { startAllInOne } from '../../../src/processes/all-in-one.ts';
import { startApi } from '../../../src/processes/api.ts';
import { expireStep } from '../../../src/projects/expire-by-age.ts';
import { modelColumns, oldModels } from '../../../src/projects/rows/retention.ts';
import {
  type AgedProject,
  expireAll,
  filesOf,
  insertJob,
  insertModel,
  insertProject,
  insertSchedule,
  listIds,
  makeDue,
  openTestLog,
} from '../stack/aged-rows.ts';
import { startTestApi } from '../stack/api.ts';
import { runStep } from '../stack/run-step.ts';
import { api, caller, ownProduct } from '../stack/stack.ts';

const { lines, log } = openTestLog();

// Without a worker, which would do the same.
ownProduct({}, startApi, 'api');

const newProject = (who = caller) => insertProject(api.db, who.credentials.accountId);
const modelsOf = (project: AgedProject) => listIds('models', project);
const expire = (limit?: number) => expireAll('models', api.db, limit);

describe('a model', () => {
  test('that is old and not in use is removed with its files, as after /delete-model; others stay', async () => {
    const project = await newProject();
    const { project_id } = project;
    const [old, young, newest] = [
      await insertModel(project, 366),
      await insertModel(project, 364),
      await insertModel(project, 0),
    ];
    const keys = [old, young, newest].flatMap(filesOf);
    for (const key of keys) await api.store.put(key, [Buffer.from('x')]);
    expect(await expire()).toMatchObject([{ msg: 'removed old models', models: 1, days: 365 }]);
    expect(await modelsOf(project)).toEqual([young, newest]);
    const { status, body } = await caller.ask('getModel', { project_id, model_id: old });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    // The row goes first: a file is removed only when nothing refers to it.
    expect((await api.objectKeys()).filter((key) => keys.includes(key))).toEqual(keys.toSorted());
    const stop = new AbortController();
    const { db, store } = api;
    const removing = runStep(removeOrphanedObjects({ db, store, log, stopping: stop.signal }), stop.signal);
    await expect.poll(() => api.rows('SELECT FROM loose_objects'), { timeout: 10_000 }).toEqual([]);
    stop.abort();
    await removing;
    expect((await api.objectKeys()).filter((key) => keys.includes(key))).toEqual(
      [young, newest].flatMap(filesOf).toSorted(),
    );
  });

  test('stays if it is the newest one of its project, however old it is', async () => {
    const [one, other] = [await newProject(), await newProject()];
    await insertModel(one, 5000);
    const newest = [await insertModel(one, 4000), await insertModel(other, 4500)];
    await expire();
    expect([...(await modelsOf(one)), ...(await modelsOf(other))]).toEqual(newest);
  });

  const modelKey = '(SELECT model_key FROM models WHERE model_id = $1)';
  const projectKey = '(SELECT project_key FROM models WHERE model_id = $1)';
  const newestKey = `(SELECT max(model_key) FROM models WHERE project_key = ${projectKey})`;
  const insertDeployment = `INSERT INTO deployments (project_key, generator_model_key, qps)
    VALUES (${projectKey}, ${modelKey}, 1)`;
  type Use = (model: string, project: AgedProject) => Promise<unknown>;
  const insert =
    (text: string): Use =>
    (model) =>
      api.rows(text, [model]);
  const insertVariant = (column: 'model_key' | 'ranker_model_key') =>
    insert(`WITH x AS (
        INSERT INTO experiments (experiment_id, project_key, name, scenario, metric, window_hours)
          VALUES ('exp_' || $1::text, ${projectKey}, 'x', 'default', 'ctr', 24) RETURNING experiment_key
      ) INSERT INTO experiment_variants (experiment_key, position, name, share, ${column})
        SELECT experiment_key, 0, 'a', 1, ${modelKey} FROM x`);
  const nameInSchedule: Use = (model_id, project) =>
    insertSchedule(project, { job_type: 'CLUSTERING', request: { model_id } });
  const nameInJob: Use = (generator_model_id, project) =>
    insertJob(project, 0, { status: 'PENDING', data: { generator_model_id, qps: 1 } });
  const pinInJob: Use = (ranker_model_id, project) =>
    insertJob(project, 0, {
      status: 'RUNNING',
      data: { user_ids: ['a'], models: { generator_model_id: 'x', ranker_model_id } },
    });
  const endJobs = (status = 'CANCELED') => `UPDATE jobs SET job_status = '${status}', finished_at = now()`;
  /** Ways to use a model, and to end it. */
  const uses: [name: string, use: Use, end: string][] = [
    ['deployed', insert(insertDeployment), 'DELETE FROM deployments'],
    [
      'deployed as the ranker',
      insert(`INSERT INTO deployments (project_key, generator_model_key, ranker_model_key, qps)
        VALUES (${projectKey}, ${newestKey}, ${modelKey}, 1)`),
      'DELETE FROM deployments',
    ],
    [
      'kept for a rollback',
      insert(`INSERT INTO past_deployments (project_key, generator_model_key)
        VALUES (${projectKey}, ${modelKey})`),
      'DELETE FROM past_deployments',
    ],
    [
      'kept for a rollback as the ranker',
      insert(`INSERT INTO past_deployments (project_key, generator_model_key, ranker_model_key)
        VALUES (${projectKey}, ${newestKey}, ${modelKey})`),
      'DELETE FROM past_deployments',
    ],
    ['part of a running experiment (model_key)', insertVariant('model_key'), 'DELETE FROM experiments'],
    [
      'part of a running experiment (ranker_model_key)',
      insertVariant('ranker_model_key'),
      'DELETE FROM experiments',
    ],
    ['named by a schedule', nameInSchedule, 'DELETE FROM schedules'],
    ['named by a job that waits', nameInJob, endJobs()],
    ['pinned by a job that runs', pinInJob, endJobs('FAILED')],
  ];

  test.each(uses)('stays while it is %s, and goes afterwards', async (_, use, end) => {
    const project = await newProject();
    const [old, newest] = [await insertModel(project, 900), await insertModel(project, 0)];
    await use(old, project);
    await expire();
    expect(await modelsOf(project)).toEqual([old, newest]);
    await api.rows(end);
    await expire();
    expect(await modelsOf(project)).toEqual([newest]);
  });

  test('stays while a schedule is about to deploy it', async () => {
    const project = await newProject();
    const job = await insertJob(project, 900);
    const [old, newest] = [await insertModel(project, 900, job), await insertModel(project, 0)];
    const schedule = await insertSchedule(project, { job_type: 'TRAINING', deploy: true });
    await api.rows(
      'UPDATE schedules SET follow_job_key = (SELECT job_key FROM jobs WHERE job_id = $2) WHERE schedule_id = $1',
      [schedule, job],
    );
    await expire();
    expect(await modelsOf(project)).toEqual([old, newest]);
    await api.rows('UPDATE schedules SET follow_job_key = NULL');
    await expire();
    expect(await modelsOf(project)).toEqual([newest]);
  });

  test.each(['deployed', 'named by a new job'] as const)(
    'stays if it is %s while a worker is about to remove it',
    async (use) => {
      const project = await newProject();
      const [old, newest] = [await insertModel(project, 900), await insertModel(project, 0)];
      const { unused } = await oldModels.list(api.db, 365, 200, null);
      const remove = () =>
        api.db.transaction(async (tx) => oldModels.delete(tx, await oldModels.lock(tx, unused)));
      await api.db.transaction(async (tx) => {
        const text =
          use === 'deployed' ? insertDeployment : 'SELECT FROM models WHERE model_id = $1 FOR KEY SHARE';
        await tx.rows({ name: '', text }, [old]);
        expect(await remove()).toBe(0);
        if (use === 'named by a new job')
          await insertJob(project, 0, { status: 'PENDING', data: { generator_model_id: old } });
      });
      expect(await remove()).toBe(0);
      expect(await modelsOf(project)).toEqual([old, newest]);
      await api.rows('DELETE FROM deployments');
      await api.rows(endJobs());
      expect(await remove()).toBe(1);
    },
  );

  test('that is removed while a deployment or an analysis of it is submitted is not found', async () => {
    const project = await newProject();
    const { project_id } = project;
    const [old] = [await insertModel(project, 900), await insertModel(project, 0)];
    const submitted = await api.db.transaction(async (tx) => {
      await tx.rows({ name: '', text: 'DELETE FROM models WHERE model_id = $1' }, [old]);
      const calls = [
        caller.ask('submitDeploymentJob', { project_id, name: 'd', generator_model_id: old }),
        caller.ask('submitClusteringJob', {
          project_id,
          name: 'c',
          model_id: old,
          cluster_type: 'user',
          parameters: {},
        }),
      ];
      await sleep(500);
      return { calls };
    });
    for (const { status, body } of await Promise.all(submitted.calls))
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

test('every reference to a model counts as use', async () => {
  const references = await api.rows<{ table: string; column: string }>(
    `SELECT c.conrelid::regclass::text AS table, a.attname AS column FROM pg_constraint c
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      WHERE c.contype = 'f' AND c.confrelid = 'models'::regclass ORDER BY 1, 2`,
  );
  // A trial belongs to a job that has not ended and that names its models.
  const counted = references.filter(({ table }) => table !== 'deployment_trials');
  expect(counted.map(({ table, column }) => [table, column])).toEqual(modelColumns.toSorted());
});

describe('a round', () => {
  test('goes on after models that stay, a step at a time', async () => {
    const kept: string[] = [];
    for (let n = 0; n < 5; n++) kept.push(await insertModel(await newProject(), 3000 + n));
    const project = await newProject();
    for (const days of [2000, 2000, 1999]) await insertModel(project, days);
    const newest = await insertModel(project, 0);
    await expire(2);
    expect(await modelsOf(project)).toEqual([newest]);
    expect(await api.rows('SELECT FROM models WHERE model_id = ANY($1)', [kept])).toHaveLength(5);
  });

  test('removes what it can, and the next one tries the rest again', async () => {
    const project = await newProject();
    const stuck = await insertModel(project, 2000);
    await insertModel(project, 1999);
    const newest = await insertModel(project, 0);
    await api.rows(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'stuck'; END $$`,
    );
    await api.rows(
      `CREATE TRIGGER refuse BEFORE DELETE ON models FOR EACH ROW WHEN (OLD.model_id = '${stuck}') EXECUTE FUNCTION refuse()`,
    );
    const [row] = await api.rows<object>('SELECT model_key AS key FROM models WHERE model_id = $1', [stuck]);
    const msg = 'failed to remove one of the old models; the next round tries again';
    expect(await expire()).toContainEqual(expect.objectContaining({ ...row, msg }));
    expect(await modelsOf(project)).toEqual([stuck, newest]);
    await api.rows('DROP TRIGGER refuse ON models');
    await expire();
    expect(await modelsOf(project)).toEqual([newest]);
  });

  test('is not held up by many jobs with many users', async () => {
    const project = await newProject();
    for (let n = 0; n < 200; n++) await insertModel(project, 900);
    const newest = await insertModel(project, 0);
    const user_ids = Array.from({ length: 10_000 }, (_, n) => `user-${n}`);
    for (let n = 0; n < 100; n++)
      await insertJob(project, 0, {
        status: 'PENDING',
        data: { user_ids, models: { generator_model_id: newest } },
      });
    const begin = performance.now();
    await expire();
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(await modelsOf(project)).toEqual([newest]);
    await api.rows('DELETE FROM jobs');
  });

  test('is done by one worker at a time; another continues where it stopped; the next one is due a day later', async () => {
    const project = await newProject();
    for (let n = 0; n < 20; n++) await insertModel(project, 700 - n);
    const newest = await insertModel(project, 0);
    await makeDue(api.db);
    const claim = await claimPeriodicTask(api.db, 'expire_models', 60);
    expect(await expireStep(oldModels, api.db, 365, log, 3)).toBe(false);
    expect(await modelsOf(project)).toHaveLength(21);
    await endPeriodicStep(api.db, 'expire_models', claim?.position ?? null, 0);
    lines.length = 0;
    for (let n = 0; n < 100 && (await modelsOf(project)).length > 1; n++)
      await Promise.all(Array.from({ length: 4 }, () => expireStep(oldModels, api.db, 365, log, 3)));
    expect(await modelsOf(project)).toEqual([newest]);
    expect(lines.reduce((sum, { models = 0 }) => sum + models, 0)).toBe(20);
    while (await expireStep(oldModels, api.db, 365, log));
    const [task] = await api.rows<{ hours: number; position: string | null }>(
      `SELECT extract(epoch FROM due_at - clock_timestamp())::float8 / 3600 AS hours, position FROM periodic_tasks WHERE task = 'expire_models'`,
    );
    expect(task?.position).toBeNull();
    expect(task?.hours).toBeGreaterThan(23);
  });

  test('is run by a worker, with the days of its settings', async () => {
    const ids: string[] = [];
    await using own = await startTestApi(
      { MODEL_RETENTION_DAYS: '5', JOB_RETENTION_DAYS: '7' },
      async (runtime) => {
        const { account_id } = await createAccount(runtime.db, 'a', 'default');
        const project = await insertProject(runtime.db, account_id);
        await insertModel(project, 6);
        ids.push(await insertModel(project, 4));
        await insertJob(project, 8);
        ids.push(await insertJob(project, 6));
        return startAllInOne(runtime);
      },
    );
    const left = () => own.rows('SELECT model_id AS id FROM models UNION ALL SELECT job_id FROM jobs');
    await expect.poll(left).toEqual(ids.map((id) => ({ id })));
  });
});
