import { describe, expect, test } from 'vitest';
import { trainModel } from '../../../src/training/job.ts';
import { api, caller, ownProduct, perFile, problem } from '../stack/stack.ts';
import { createAlgorithm, makeProject, submit, waitForJob } from '../stack/training.ts';

ownProduct();
const project = perFile(() => makeProject(caller));

const trainingSeconds = async (accountId: string) => {
  const text = 'SELECT training_seconds FROM accounts WHERE account_id = $1';
  const [row] = await api.rows<{ training_seconds: number }>(text, [accountId]);
  return row?.training_seconds;
};

describe('a training', () => {
  test('is PENDING, then RUNNING, then SUCCEED with a model, and its hours are counted', async () => {
    const { project_id } = project;
    const owner = caller.accountId;
    expect(await trainingSeconds(owner)).toBe(0);
    const job_id = await submit(caller, project, 'first');
    const first = await caller.call('getJob', { project_id, job_id });
    expect(first).toMatchObject({
      project_id,
      job_id,
      job_type: 'TRAINING',
      name: 'first',
      retry_count: 0,
      job_result: null,
      job_data: { algorithm_type: 'G1', algorithm_parameters: {} },
    });
    const running = await waitForJob(caller, project_id, job_id, (job) => job.job_status !== 'PENDING');
    expect(running.started_ts).toBeGreaterThanOrEqual(first.created_ts);
    const job = await waitForJob(caller, project_id, job_id);
    expect(job).toMatchObject({
      job_status: 'SUCCEED',
      retry_count: 0,
      error: null,
      progress: { stage: 'done', fraction: 1 },
    });
    const { started_ts, finished_ts } = job;
    const seconds = ((finished_ts ?? 0) - (started_ts ?? 0)) / 1000;
    expect(await trainingSeconds(owner)).toBeCloseTo(seconds, 1);
  });

  test('that no retry can fix fails at once, lists what exists, and counts no hours', async () => {
    const stranger = await api.newCaller();
    const { event_dataset_id, ...datasets } = await makeProject(stranger);
    const { project_id } = await stranger.call('createProject', {
      name: 'p',
      project_type: 'RECOMMEND_ITEMS_TO_USER',
      target_event_type: 'purchase',
      event_dataset_id,
      user_dataset_id: datasets.user_dataset_id,
      item_dataset_id: datasets.item_dataset_id,
    });
    const algorithm_id = await createAlgorithm(stranger, project_id, 'G1');
    const { job_id } = await stranger.call('submitTrainingJob', { project_id, algorithm_id, name: 'x' });
    const job = await waitForJob(stranger, project_id, job_id);
    expect(job).toMatchObject({ job_status: 'FAILED', retry_count: 0, job_result: null });
    expect(job.error).toMatchObject({ code: 'NO_TARGET_EVENTS' });
    expect(job.error?.message).toMatch(/"purchase".*"buy"/s);
    expect(await trainingSeconds(stranger.credentials.accountId)).toBe(0);
  });

  test('uses the parameters at the time of submission', async () => {
    const { project_id, algorithm_id } = project;
    const given = { regularization: 77, neighbors: 11 };
    await caller.call('updateAlgorithm', { project_id, algorithm_id, algorithm_parameters: given });
    const job_id = await submit(caller, project);
    await caller.call('updateAlgorithm', { project_id, algorithm_id, algorithm_parameters: {} });
    const job = await waitForJob(caller, project_id, job_id);
    const model_id = (job.job_result as { model_id: string }).model_id;
    const model = await caller.call('getModel', { project_id, model_id });
    expect(model.algorithm_parameters).toEqual(given);
    expect(model.training.chosen_parameters).toMatchObject(given);
  });

  test("beyond the plan's hours is refused", async () => {
    await api.rows(`INSERT INTO plans VALUES ('an hour', 1000, 1, NULL)`);
    const limited = await api.newCaller('an hour');
    const made = await makeProject(limited);
    const use = (seconds: number) =>
      api.rows('UPDATE accounts SET training_seconds = $2 WHERE account_id = $1', [
        limited.credentials.accountId,
        seconds,
      ]);
    await use(3600);
    const { project_id, algorithm_id } = made;
    const training = { project_id, algorithm_id, name: 'x' };
    expect(await limited.ask('submitTrainingJob', training)).toMatchObject(problem(403, 'QUOTA_EXCEEDED'));
    await use(3599);
    await waitForJob(limited, project_id, await submit(limited, made));
    // Submitted in time, but the hours are used up when it starts.
    await use(3600);
    const settings = {
      databaseUrl: '',
      objects: { kind: 'folder', root: '' },
      threads: 1,
      readers: 1,
      windowBytes: 2 ** 20,
    } as const;
    const work = trainModel(api.db, settings);
    const attempt = { account_id: limited.credentials.accountId } as Parameters<typeof work>[0];
    await expect(
      work(attempt, { signal: new AbortController().signal, report: () => undefined }),
    ).rejects.toMatchObject({ name: 'JobError', code: 'QUOTA_EXCEEDED' });
  });

  test('beyond a thousand live jobs is refused', async () => {
    const busy = await api.newCaller();
    const made = await makeProject(busy);
    await api.rows(
      `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn)
        SELECT 'job_busy' || n, $1, project_key, 'TRAINING', 'x', '{}', n FROM projects, generate_series(1, 1000) n
        WHERE project_id = $2`,
      [busy.credentials.accountId, made.project_id],
    );
    const { project_id, algorithm_id } = made;
    const { body } = await busy.ask('submitTrainingJob', { project_id, algorithm_id, name: 'x' });
    expect(body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(body.detail).toContain('/cancel-job');
  });
});

describe('jobs of a project', () => {
  test('are listed newest first, by type and status, page by page', async () => {
    const own = await api.newCaller();
    const made = await makeProject(own);
    const { project_id } = made;
    const done = await submit(own, made, 'done');
    await waitForJob(own, project_id, done);
    const names = ['one', 'two', 'three'];
    for (const name of names)
      await own.call('cancelJob', { project_id, job_id: await submit(own, made, name) });
    const list = async (query: object) =>
      (await own.call('listJobs', { project_id, ...query })).jobs.map((job) => job.name);
    expect(await list({})).toEqual(['three', 'two', 'one', 'done']);
    expect(await list({ job_status: 'CANCELED' })).toEqual(['three', 'two', 'one']);
    expect(await list({ job_status: 'SUCCEED', job_type: 'TRAINING' })).toEqual(['done']);
    expect(await list({ job_type: 'QUERYING' })).toEqual([]);
    const page = await own.call('listJobs', { project_id, page_size: 3 });
    expect(await list({ page_token: page.next_page_token })).toEqual(['done']);
  });

  test('that have ended cannot be canceled', async () => {
    const { project_id } = project;
    const job_id = await submit(caller, project);
    const canceled = await caller.call('cancelJob', { project_id, job_id });
    expect(canceled).toMatchObject({ job_id, job_status: 'CANCELED' });
    const again = await caller.ask('cancelJob', { project_id, job_id });
    expect(again).toMatchObject(problem(409, 'JOB_NOT_CANCELABLE'));
    expect(again.body.detail).toContain('CANCELED');
  });

  test('are deleted with the project, as are its models and their files', async () => {
    const own = await api.newCaller();
    const made = await makeProject(own);
    await waitForJob(own, made.project_id, await submit(own, made));
    const files = await api.rows<{ key: string }>(
      `SELECT unnest(ARRAY[object_key, snapshot_key]) AS key FROM models JOIN projects USING (project_key)
        WHERE project_id = $1`,
      [made.project_id],
    );
    const isThere = async () => {
      const keys = await api.objectKeys();
      return files.map(({ key }) => keys.includes(key));
    };
    expect(await isThere()).toEqual([true, true]);
    await own.call('deleteProject', { project_id: made.project_id });
    await expect.poll(isThere, { timeout: 10_000 }).toEqual([false, false]);
  });
});

describe('a waiting job', () => {
  test("reports what it waits for: the account's earlier jobs, a retry, a worker", async () => {
    const own = await api.newCaller();
    const made = await makeProject(own);
    const { project_id } = made;
    const insertJob = async (accountId: string, projectId: string, name: string, turn: number) => {
      const [row] = await api.rows<{ job_id: string }>(
        `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn)
          SELECT 'job_' || gen_random_uuid(), $1, project_key, 'TRAINING', $3, '{}', $4 FROM projects
          WHERE project_id = $2 RETURNING job_id`,
        [accountId, projectId, name, turn],
      );
      return row?.job_id ?? '';
    };
    const insert = (name: string, turn: number) =>
      insertJob(own.credentials.accountId, project_id, name, turn);
    const messageOf = async (job_id: string) =>
      (await own.call('getJob', { project_id, job_id })).progress?.message;
    // With old ranks: no other job of these tests is ahead of them.
    const first = await insert('first', -3);
    const second = await insert('second', -2);
    const third = await insert('third', -2);
    const alone = await messageOf(first);
    const stranger = await api.newCaller();
    const strange = await makeProject(stranger);
    const theirs = await insertJob(stranger.credentials.accountId, strange.project_id, 'theirs', -4);
    // The jobs of other accounts are not revealed.
    expect(await messageOf(first)).toBe(alone);
    expect(alone).not.toContain('of your jobs');
    expect(await messageOf(second)).toMatch(/\b1 of your jobs\b/);
    expect(await messageOf(third)).toMatch(/\b2 of your jobs\b/);
    await api.rows('DELETE FROM jobs WHERE job_id = $1', [theirs]);
    await api.rows(`UPDATE jobs SET retry_count = 2, due_at = now() + interval '1 hour' WHERE job_id = $1`, [
      first,
    ]);
    expect(await messageOf(first)).toMatch(/\b2 of 3\b.*\b20\d\d-/);
    // The worker is listed again with its next heartbeat.
    const withoutWorker = async () => {
      await api.rows('DELETE FROM workers');
      return messageOf(third);
    };
    await expect.poll(withoutWorker).toContain('tastegraph-server worker');
  });
});
