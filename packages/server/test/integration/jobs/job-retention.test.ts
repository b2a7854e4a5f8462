import { expect, test } from 'vitest';
import { startApi } from '../../../src/processes/api.ts';
import {
  expireAll,
  insertJob,
  insertModel,
  insertProject,
  insertSchedule,
  listIds,
} from '../stack/aged-rows.ts';
import { api, caller, ownProduct } from '../stack/stack.ts';

// Without a worker, which would do the same.
ownProduct({}, startApi, 'api');

const run = (text: string, values: readonly unknown[] = []) => api.rows(text, values);
const newProject = (who = caller) => insertProject(api.db, who.credentials.accountId);
const expire = () => expireAll('jobs', api.db);

test('a job that ended long ago is removed once its result has expired; others stay', async () => {
  const project = await newProject();
  const { project_id } = project;
  const expired = await insertJob(project, 366, { result: { files: [], message: null } });
  const failed = await insertJob(project, 366, { status: 'FAILED' });
  const kept = [
    await insertJob(project, 366, { result: { files: [{ object_key: 'results/old/1/x.ndjson' }] } }),
    await insertJob(project, 364, { result: { files: [], message: null } }),
    await insertJob(project, 900, { status: 'PENDING' }),
    await insertJob(project, 900, { status: 'RUNNING' }),
  ];
  expect(await expire()).toMatchObject([{ msg: 'removed old jobs', jobs: 2, days: 365 }]);
  expect(await listIds('jobs', project)).toEqual(kept);
  for (const job_id of [expired, failed])
    expect((await caller.ask('getJob', { project_id, job_id })).body.code).toBe('NOT_FOUND');
});

test('a job stays as long as the model that it trained, and the last one of a schedule as long as the schedule', async () => {
  const project = await newProject();
  const jobs = [await insertJob(project, 900), await insertJob(project, 900), await insertJob(project, 900)];
  const model = await insertModel(project, 900, jobs[0]);
  const schedule = await insertSchedule(project, { job_type: 'TRAINING' });
  await run(
    `UPDATE schedules SET last_job_key = (SELECT job_key FROM jobs WHERE job_id = $2),
      follow_job_key = (SELECT job_key FROM jobs WHERE job_id = $3) WHERE schedule_id = $1`,
    [schedule, jobs[1], jobs[2]],
  );
  await expire();
  expect(await listIds('jobs', project)).toEqual(jobs);
  await run('DELETE FROM models WHERE model_id = $1', [model]);
  await expire();
  expect(await listIds('jobs', project)).toEqual(jobs.slice(1));
  await run('DELETE FROM schedules WHERE schedule_id = $1', [schedule]);
  await expire();
  expect(await listIds('jobs', project)).toEqual([]);
});

test('the cluster IDs of removed jobs are never used again', async () => {
  const project = await newProject();
  for (const last_cluster_id of [4, 9, 7])
    await insertJob(project, 900, { result: { files: [], message: null, last_cluster_id } });
  await expire();
  expect(await listIds('jobs', project)).toEqual([]);
  expect(
    await run('SELECT last_cluster_id FROM projects WHERE project_id = $1', [project.project_id]),
  ).toEqual([{ last_cluster_id: 9 }]);
});
