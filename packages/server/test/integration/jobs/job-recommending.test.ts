import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { openObjectStore } from '../../../src/kernel/objects/open.ts';
import { answersOf, submitBatch } from '../batches/recommending.ts';
import { resultOf } from '../stack/analysed-project.ts';
import type { ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { deployModel, fixedParameters, makeProject, trainModel, waitForJob } from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { endBy, holdThirdPart, meetInStage } from './job-stages.ts';

let worker: ServerProcess;
/** Two models whose answers differ. */
let models: [string, string];

const cell = perFile(() => startJobCell({ env: { RECOMMENDING_FILE_USERS: '50' } }));
const caller = perFile(() => cell.newCaller());
const project = perFile(() => makeProject(caller, { users: 300, parameters: fixedParameters }));

beforeAll(async () => {
  worker = await cell.startWorker();
  const parameters = { ...fixedParameters, taste_weight: 0, popularity_scaling: 1 };
  models = [await trainModel(caller, project), await trainModel(caller, project, { parameters })];
  await deploy(models[0]);
});

const batch = () => submitBatch(caller, project.project_id);
const filesOf = async (jobId: string) =>
  (await resultOf(caller, project.project_id, jobId)).download_urls?.map((url) => new URL(url).pathname) ??
  [];
const read = async (jobId: string) => answersOf(caller, await resultOf(caller, project.project_id, jobId));

/** Kills the worker when the job has written two of six parts; `meanwhile` runs before the next worker starts. */
const killHalfway = (meanwhile: () => Promise<unknown> = async () => undefined) =>
  meetInStage(holdThirdPart(cell.sql), batch, async () => {
    await endBy(worker, 'SIGKILL');
    await meanwhile();
  });

const deploy = (model: string) => deployModel((text, values) => cell.sql.query(text, values), model);
const deleteModel = (model_id: string) =>
  caller.call('deleteModel', { project_id: project.project_id, model_id });

describe('a batch whose worker is killed halfway', () => {
  test('continues after its last complete part, and has every user once, as if undisturbed', async () => {
    const undisturbed = await read(await batch());
    expect(new Set(undisturbed.map(({ user_id }) => user_id)).size).toBe(300);
    const job = await killHalfway();
    worker = await cell.startWorker();
    expect(await read(job)).toEqual(undisturbed);
    // The parts of the first attempt were kept.
    const attempts = (await filesOf(job)).map((path) => path.split('/').at(-2));
    expect(attempts).toEqual(['1', '1', '2', '2', '2', '2']);
    await expectSound(cell);
  });

  test('continues with the models that it started with, though others are deployed', async () => {
    const [first, second] = models;
    const before = await read(await batch());
    const job = await killHalfway(() => deploy(second));
    worker = await cell.startWorker();
    const after = await read(await batch());
    expect(after).not.toEqual(before);
    expect(await read(job)).toEqual(before);
    await deploy(first);
    await expectSound(cell);
  });

  test('keeps its parts until it is canceled, and then leaves none', async () => {
    await using held = await holdThirdPart(cell.sql);
    const job = await batch();
    await held.reached(job);
    await endBy(worker, 'SIGKILL');
    worker = await cell.startWorker();
    await held.reached(job, 2);
    // Longer than a worker waits before it looks for orphaned objects again.
    await sleep(3000);
    const { rows } = await cell.sql.query<{ object_key: string }>('SELECT object_key FROM job_parts');
    await using store = await openObjectStore(cell.objects);
    for (const { object_key } of rows) expect(await store.size(object_key)).toBeGreaterThan(0);
    expect(rows).toHaveLength(2);
    await caller.call('cancelJob', { project_id: project.project_id, job_id: job });
    await held[Symbol.asyncDispose]();
    await expectSound(cell);
  });

  test('fails if a model that it started with was deleted, and leaves nothing', async () => {
    const [first, second] = models;
    const job = await killHalfway(async () => {
      await deploy(second);
      await deleteModel(first);
    });
    worker = await cell.startWorker();
    const ended = await waitForJob(caller, project.project_id, job);
    expect(ended).toMatchObject({ job_status: 'FAILED', error: { code: 'MODEL_DELETED' } });
    const left = async () => {
      const text = `SELECT object_key FROM job_parts UNION ALL SELECT object_key FROM loose_objects`;
      return (await cell.sql.query(text)).rowCount;
    };
    await expect.poll(left).toBe(0);
  });
});
