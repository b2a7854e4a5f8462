import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../stack/caller.ts';
import { expectLogged, type ServerProcess } from '../stack/server-process.ts';
import { fixedParameters, makeProject, submit, type TestProject, waitForJob } from '../stack/training.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf, statusesOf } from './job-history.ts';
import { endlessSearch, type HeldStage, holdStore, longSearch, watchStage } from './job-stages.ts';
import { type CellSwift, startCellSwift } from './job-swift.ts';

let swift: CellSwift;
let cell: JobCell;
let caller: Caller;
let small: TestProject;
let medium: TestProject;
let large: TestProject;
let worker: ServerProcess;

/** By then a canceled job has stopped, and its worker takes the next. */
const endsWithinSeconds = 5;

beforeAll(async () => {
  swift = await startCellSwift();
  await swift.createBucket();
  cell = await startJobCell({ env: swift.env });
  caller = await cell.newCaller();
  small = await makeProject(caller, { parameters: fixedParameters });
  medium = await makeProject(caller, longSearch);
  large = await makeProject(caller, endlessSearch);
  worker = await cell.startWorker();
});
afterAll(async () => {
  await cell[Symbol.asyncDispose]();
  await swift[Symbol.asyncDispose]();
});

const cancel = ({ project_id }: TestProject, job_id: string) =>
  caller.call('cancelJob', { project_id, job_id });

describe('a canceled job', () => {
  const stages: { stage: string; project: () => TestProject; hold: () => HeldStage }[] = [
    { stage: 'searching', project: () => large, hold: () => watchStage(cell.sql, 'searching') },
    { stage: 'writing', project: () => small, hold: () => holdStore(cell.sql, swift, 'writing') },
  ];
  test.each(stages)(
    'is CANCELED at once while $stage, its work stops, and its worker takes the next job',
    async ({ project, hold }) => {
      const [canceled, next] = await cancelInStage(project(), hold);
      expect(await waitForJob(caller, small.project_id, next)).toMatchObject({ job_status: 'SUCCEED' });
      const began = (await historyOf(cell.sql, next)).find(({ job_status }) => job_status === 'RUNNING');
      const end = (await historyOf(cell.sql, canceled)).at(-1);
      expect(end?.job_status).toBe('CANCELED');
      expect((began?.at ?? Number.NaN) - (end?.at ?? Number.NaN)).toBeLessThan(endsWithinSeconds);
      await expectLogged(worker, 'stopped working on it');
      await expectSound(cell);
    },
  );

  /** The job, and another that waits for the same worker. */
  async function cancelInStage(project: TestProject, hold: () => HeldStage): Promise<[string, string]> {
    await using held = hold();
    const job = await submit(caller, project);
    const next = await submit(caller, small);
    await held.reached(job);
    expect(await cancel(project, job)).toMatchObject({ job_status: 'CANCELED', job_result: null });
    // Even though the store still does not respond.
    await watchStage(cell.sql, 'reading').reached(next);
    return [job, next];
  }

  test('that has not started never runs', async () => {
    const running = await submit(caller, large);
    await watchStage(cell.sql, 'searching').reached(running);
    const waiting = await submit(caller, small);
    expect(await cancel(small, waiting)).toMatchObject({ job_status: 'CANCELED', started_ts: null });
    await cancel(large, running);
    // The worker polls every half second; the job after it has run by then.
    const after = await submit(caller, small);
    expect(await waitForJob(caller, small.project_id, after)).toMatchObject({ job_status: 'SUCCEED' });
    await sleep(1000);
    expect(await statusesOf(cell.sql, waiting)).toEqual(['CANCELED']);
    await expectSound(cell);
  });
});

describe('a worker that is stopped', () => {
  const stages: { stage: string; hold: () => HeldStage }[] = [
    { stage: 'searching', hold: () => watchStage(cell.sql, 'searching') },
    { stage: 'writing', hold: () => holdStore(cell.sql, swift, 'writing') },
  ];
  test.each(stages)(
    'shuts down within seconds while $stage, and requeues its job as if it had not been claimed',
    async ({ hold }) => {
      const job = await stopInStage(hold);
      const { project_id } = medium;
      expect(await caller.call('getJob', { project_id, job_id: job })).toMatchObject({
        job_status: 'PENDING',
        retry_count: 0,
        error: null,
      });
      worker = await cell.startWorker();
      expect(await waitForJob(caller, project_id, job)).toMatchObject({
        job_status: 'SUCCEED',
        retry_count: 0,
      });
      expect(await statusesOf(cell.sql, job)).toEqual(['RUNNING', 'PENDING', 'RUNNING', 'SUCCEED']);
      await expectSound(cell);
    },
  );

  async function stopInStage(hold: () => HeldStage): Promise<string> {
    await using held = hold();
    const jobId = await submit(caller, medium);
    await held.reached(jobId);
    worker.signal('SIGTERM');
    // The stage is still held: the worker does not wait for the job.
    expect(await worker.ended).toBe(0);
    return jobId;
  }
});
