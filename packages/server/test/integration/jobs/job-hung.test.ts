import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../stack/caller.ts';
import { expectLogged, type ServerProcess } from '../stack/server-process.ts';
import { makeProject, submit, type TestProject, waitForJob } from '../stack/training.ts';
import { inspectable, runInMain } from './inspector.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { type HeldStage, holdStore, longSearch, watchStage } from './job-stages.ts';
import { type CellSwift, startCellSwift } from './job-swift.ts';

let swift: CellSwift;
let cell: JobCell;
let caller: Caller;
let project: TestProject;
let workers: ServerProcess[] = [];

beforeAll(async () => {
  swift = await startCellSwift();
  await swift.createBucket();
  cell = await startJobCell({ env: swift.env });
  caller = await cell.newCaller();
  project = await makeProject(caller, longSearch);
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  workers = [];
});
afterAll(async () => {
  await cell[Symbol.asyncDispose]();
  await swift[Symbol.asyncDispose]();
});

async function startWorker(env: Record<string, string> = {}): Promise<ServerProcess> {
  const worker = await cell.startWorker(env);
  workers.push(worker);
  return worker;
}

const waitForEnd = (jobId: string) => waitForJob(caller, project.project_id, jobId);
const succeeded = (retry_count: number) => ({ job_status: 'SUCCEED', retry_count, error: null });

describe('a suspended worker', () => {
  const stages: { stage: string; hold: () => HeldStage }[] = [
    { stage: 'searching', hold: () => watchStage(cell.sql, 'searching') },
    // Its writes arrive after its job was reassigned.
    { stage: 'writing', hold: () => holdStore(cell.sql, swift, 'writing') },
  ];
  test.each(stages)(
    'while $stage loses its job, publishes nothing when it resumes, and takes the next',
    async ({ hold }) => {
      const stopped = await startWorker();
      const job = await stopInStage(stopped, hold);
      const other = await startWorker();
      expect(await waitForEnd(job)).toMatchObject(succeeded(1));
      await expectLogged(other, 'job succeeded');

      stopped.signal('SIGCONT');
      await expectLogged(stopped, 'reassigned');
      await other[Symbol.asyncDispose]();
      expect(await waitForEnd(await submit(caller, project))).toMatchObject(succeeded(0));
      await expectLogged(stopped, 'job succeeded');
      await expectSound(cell);
    },
  );

  async function stopInStage(worker: ServerProcess, hold: () => HeldStage): Promise<string> {
    await using held = hold();
    const jobId = await submit(caller, project);
    await held.reached(jobId);
    worker.signal('SIGSTOP');
    return jobId;
  }
});

describe('a worker whose main thread is busy', () => {
  /** A job whose worker's main thread is blocked for that long. */
  async function blockMain(worker: ServerProcess, ms: number): Promise<string> {
    const jobId = await submit(caller, project);
    await watchStage(cell.sql, 'searching').reached(jobId);
    const began = performance.now();
    await runInMain(worker, `for (const end = performance.now() + ${ms}; performance.now() < end; );`);
    expect(performance.now() - began).toBeGreaterThan(Math.min(ms, 2000));
    return jobId;
  }

  test('for longer than the heartbeat timeout keeps its job: heartbeats continue', async () => {
    const worker = await startWorker(inspectable);
    const job = await blockMain(worker, 4000);
    expect(await waitForEnd(job)).toMatchObject(succeeded(0));
    await expectSound(cell);
  });

  test('for good kills itself, logs it, and leaves its job to another worker', async () => {
    const worker = await startWorker({ ...inspectable, JOB_HUNG_SECONDS: '10' });
    const job = await blockMain(worker, 600_000);
    expect(await worker.ended).toBe('SIGKILL');
    await expectLogged(worker, 'the main thread is hung');
    await startWorker();
    expect(await waitForEnd(job)).toMatchObject(succeeded(1));
    await expectSound(cell);
  });
});
