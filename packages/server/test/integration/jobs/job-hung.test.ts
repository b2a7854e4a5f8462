import { afterEach, describe, expect, test } from 'vitest';
import { expectLogged, type ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { makeProject, submit, succeeded, waitForJob } from '../stack/training.ts';
import { inspectable, runInMain } from './inspector.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { type HeldStage, holdStore, longSearch, meetInStage, watchStage } from './job-stages.ts';
import { startSwiftWithBucket } from './job-swift.ts';

let workers: ServerProcess[] = [];

const swift = perFile(() => startSwiftWithBucket());

const cell = perFile(() => startJobCell({ env: swift.env }));
const caller = perFile(() => cell.newCaller());
const project = perFile(() => makeProject(caller, longSearch));
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  workers = [];
});

async function startWorker(env: Record<string, string> = {}): Promise<ServerProcess> {
  const worker = await cell.startWorker(env);
  workers.push(worker);
  return worker;
}

const waitForEnd = (jobId: string) => waitForJob(caller, project.project_id, jobId);

describe('a suspended worker', () => {
  const stages: { stage: string; hold: () => HeldStage }[] = [
    // Its writes arrive after its job was reassigned.
    { stage: 'writing', hold: () => holdStore(cell.sql, swift, 'writing') },
    { stage: 'searching', hold: () => watchStage(cell.sql, 'searching') },
  ];
  test.each(process.env['FAULTS'] === 'all' ? stages : stages.slice(0, 1))(
    'while $stage loses its job, publishes nothing when it resumes, and takes the next',
    async ({ hold }) => {
      const stopped = await startWorker();
      const suspend = async () => stopped.signal('SIGSTOP');
      const job = await meetInStage(hold(), () => submit(caller, project), suspend);
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
