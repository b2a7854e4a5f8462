import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitClustering, submitQueries } from './analysed-project.ts';
import type { Caller } from './caller.ts';
import { deployModel } from './deploy-model.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf, statusesOf } from './job-history.ts';
import {
  type HeldStage,
  holdPublishing,
  holdPublishingParts,
  holdStore,
  holdThirdPart,
  longSearch,
  watchStage,
} from './job-stages.ts';
import { type CellSwift, startCellSwift } from './job-swift.ts';
import { submitBatch } from './recommending.ts';
import { expectLogged, type ServerProcess } from './server-process.ts';
import { fixedParameters, makeProject, trainModel, waitForJob } from './training.ts';

let swift: CellSwift;
let cell: JobCell;
let caller: Caller;
let worker: ServerProcess;
let project: { readonly project_id: string; readonly model_id: string; readonly event_dataset_id: string };

beforeAll(async () => {
  swift = await startCellSwift();
  await swift.createBucket();
  cell = await startJobCell({ env: { ...swift.env, RECOMMENDING_FILE_USERS: '100' } });
  caller = await cell.newCaller();
  worker = await cell.startWorker();
  const made = await makeProject(caller, { ...longSearch, parameters: fixedParameters });
  project = { ...made, model_id: await trainModel(caller, made) };
  await deployModel((text, values) => cell.sql.query(text, values), project.model_id);
});
afterAll(async () => {
  await cell[Symbol.asyncDispose]();
  await swift[Symbol.asyncDispose]();
});

/** As many queries as a job may have, so that it takes a while. */
const manyQueries = () =>
  submitQueries(caller, project, {
    query_type: 'user_list',
    queries: Array.from({ length: 100 }, () => ({
      conditions: Array.from({ length: 20 }, () => ({ attribute: 'parity', value: '1' })),
    })),
  });
const purchases = async () =>
  (
    await caller.call('submitExportJob', {
      name: 'an export',
      project_id: project.project_id,
      event_dataset_id: project.event_dataset_id,
      format: 'NDJSON',
    })
  ).job_id;
const groups = () => submitClustering(caller, project);
const batch = () => submitBatch(caller, project.project_id);

interface Stage {
  readonly type: string;
  readonly stage: string;
  readonly submit: () => Promise<string>;
  readonly hold: () => HeldStage | Promise<HeldStage>;
}

const whileReading = () => holdStore(cell.sql, swift, 'reading');
const busy: Stage[] = [
  { type: 'QUERYING', stage: 'reading', submit: manyQueries, hold: whileReading },
  // The file is written during the analysis.
  {
    type: 'QUERYING',
    stage: 'answering',
    submit: manyQueries,
    hold: () => watchStage(cell.sql, 'answering'),
  },
  { type: 'CLUSTERING', stage: 'reading', submit: groups, hold: whileReading },
  {
    type: 'EXPORT',
    stage: 'exporting',
    submit: purchases,
    hold: () => holdStore(cell.sql, swift, 'exporting'),
  },
  { type: 'CLUSTERING', stage: 'grouping', submit: groups, hold: () => watchStage(cell.sql, 'grouping') },
  { type: 'RECOMMENDING', stage: 'reading', submit: batch, hold: whileReading },
  { type: 'RECOMMENDING', stage: 'recommending', submit: batch, hold: () => holdThirdPart(cell.sql) },
];
const stages: Stage[] = [
  ...busy,
  { type: 'QUERYING', stage: 'publishing', submit: manyQueries, hold: () => holdPublishing(cell.sql) },
  { type: 'CLUSTERING', stage: 'publishing', submit: groups, hold: () => holdPublishing(cell.sql) },
  { type: 'RECOMMENDING', stage: 'publishing', submit: batch, hold: () => holdPublishingParts(cell.sql) },
];

const ended = (jobId: string) => waitForJob(caller, project.project_id, jobId);

describe('a worker', () => {
  test.each(stages)(
    'killed during $type while $stage leaves the job to another worker, which finishes it',
    async (stage) => {
      const job = await killInStage(stage);
      expect(await ended(job)).toMatchObject({ job_status: 'SUCCEED', retry_count: 1, error: null });
      const history = await historyOf(cell.sql, job);
      expect(history.find(({ job_status }) => job_status === 'PENDING')).toMatchObject({
        attempt: 1,
        retry_count: 1,
        code: 'WORKER_LOST',
      });
      await expectSound(cell);
    },
  );

  async function killInStage({ submit, hold }: Stage): Promise<string> {
    await using held = await hold();
    const job = await submit();
    await held.reached(job);
    worker.signal('SIGKILL');
    expect(await worker.ended).toBe('SIGKILL');
    worker = await cell.startWorker();
    return job;
  }

  test.each(busy)('stopped during $type while $stage requeues the job', async ({ submit, hold }) => {
    const job = await stopInStage(submit, hold);
    const { project_id } = project;
    const given = await caller.call('getJob', { project_id, job_id: job });
    expect(given).toMatchObject({ job_status: 'PENDING', retry_count: 0, error: null });
    worker = await cell.startWorker();
    expect(await ended(job)).toMatchObject({ job_status: 'SUCCEED', retry_count: 0 });
    await expectSound(cell);
  });

  async function stopInStage(submit: Stage['submit'], hold: Stage['hold']): Promise<string> {
    await using held = await hold();
    const job = await submit();
    await held.reached(job);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
    return job;
  }
});

describe('a canceled analysis', () => {
  test.each(busy)(
    '($type) while $stage is CANCELED at once, and leaves nothing',
    async ({ type, submit, hold }) => {
      const { project_id } = project;
      const [job, next] = await cancelInStage(submit, hold, type === 'EXPORT' ? 'exporting' : 'reading');
      expect(await ended(next)).toMatchObject({ job_status: 'SUCCEED' });
      expect((await statusesOf(cell.sql, job)).at(-1)).toBe('CANCELED');
      expect(await caller.call('getJob', { project_id, job_id: job })).toMatchObject({ job_result: null });
      await expectSound(cell);
    },
  );

  async function cancelInStage(
    submit: Stage['submit'],
    hold: Stage['hold'],
    firstStage: string,
  ): Promise<[string, string]> {
    await using held = await hold();
    const job = await submit();
    const next = await submit();
    await held.reached(job);
    const canceled = await caller.call('cancelJob', { project_id: project.project_id, job_id: job });
    expect(canceled).toMatchObject({ job_status: 'CANCELED', job_result: null });
    await watchStage(cell.sql, firstStage).reached(next);
    return [job, next];
  }

  test.each([
    { type: 'QUERYING', submit: manyQueries },
    { type: 'CLUSTERING', submit: groups },
    { type: 'RECOMMENDING', submit: batch },
  ])('($type) that has not started never runs', async ({ submit }) => {
    const waiting = await cancelWaiting(submit);
    await sleep(1000);
    expect(await statusesOf(cell.sql, waiting)).toEqual(['CANCELED']);
    await expectSound(cell);
  });

  async function cancelWaiting(submit: Stage['submit']): Promise<string> {
    await using held = whileReading();
    const running = await submit();
    await held.reached(running);
    const waiting = await submit();
    for (const job_id of [waiting, running])
      await caller.call('cancelJob', { project_id: project.project_id, job_id });
    return waiting;
  }
});

test('two concurrent clusterings of a project never share a new group ID', async () => {
  const made = await makeProject(caller, { parameters: fixedParameters });
  const { project_id } = made;
  const of = { project_id, model_id: await trainModel(caller, made) };
  await using second = await cell.startWorker();
  const jobs = await submitBoth(of);
  for (const job of jobs)
    expect(await waitForJob(caller, project_id, job)).toMatchObject({ job_status: 'SUCCEED' });
  const standings = (await Promise.all(jobs.map((job) => historyOf(cell.sql, job)))).map((all) => all.at(-1));
  // One was overtaken, which does not count as a failure.
  expect(standings.map((one) => one?.attempt).toSorted()).toEqual([1, 2]);
  expect(standings.map((one) => one?.retry_count)).toEqual([0, 0]);
  await expectLogged(second, 'job started');
  await expectSound(cell);
});

/** Both have read the previous state, and found nothing, when one of them publishes first. */
async function submitBoth(of: { project_id: string; model_id: string }): Promise<string[]> {
  await using held = await holdPublishing(cell.sql);
  const jobs = [await submitClustering(caller, of), await submitClustering(caller, of, { min_user_num: 2 })];
  for (const job of jobs) await held.reached(job);
  return jobs;
}

test('an analysis fails with a reason when its model is deleted while it waits or runs', async () => {
  const made = await makeProject(caller, { parameters: fixedParameters });
  const { project_id } = made;
  const of = { project_id, model_id: await trainModel(caller, made) };
  const jobs = await deleteUnder(of);
  for (const job of jobs)
    expect(await waitForJob(caller, project_id, job)).toMatchObject({
      job_status: 'FAILED',
      retry_count: 0,
      error: { code: 'MODEL_DELETED' },
    });
  // The training's model was deleted, so `expectSound` does not hold; but nothing is left of these jobs.
  const orphaned = async () => {
    const { rows } = await cell.sql.query<{ object_key: string }>('SELECT object_key FROM loose_objects');
    return rows.filter(({ object_key }) => jobs.some((job) => object_key.includes(job)));
  };
  await expect.poll(orphaned, { timeout: 20_000 }).toEqual([]);
});

async function deleteUnder(of: { project_id: string; model_id: string }): Promise<string[]> {
  await using held = whileReading();
  const running = await submitClustering(caller, of);
  const waiting = await submitClustering(caller, of);
  await held.reached(running);
  await caller.call('deleteModel', of);
  return [running, waiting];
}
