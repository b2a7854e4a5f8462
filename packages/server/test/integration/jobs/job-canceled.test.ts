import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectLogged, type ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import {
  fixedParameters,
  makeProject,
  submit,
  succeeded,
  type TestProject,
  waitForJob,
} from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf, statusesOf } from './job-history.ts';
import {
  endBy,
  endlessSearch,
  type HeldStage,
  holdStore,
  longSearch,
  meetInStage,
  watchStage,
} from './job-stages.ts';
import { startSwiftWithBucket } from './job-swift.ts';

let worker: ServerProcess;

/** By then a canceled job has stopped, and its worker takes the next. */
const endsWithinSeconds = 5;

const swift = perFile(() => startSwiftWithBucket());

const cell = perFile(() => startJobCell({ env: swift.env }));
const caller = perFile(() => cell.newCaller());
const small = perFile(() => makeProject(caller, { parameters: fixedParameters }));
const medium = perFile(() => makeProject(caller, longSearch));
const large = perFile(() => makeProject(caller, endlessSearch));

beforeAll(async () => {
  worker = await cell.startWorker();
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
      // The stage is still held: the worker does not wait for the job.
      const stop = () => endBy(worker, 'SIGTERM');
      const job = await meetInStage(hold(), () => submit(caller, medium), stop);
      const { project_id } = medium;
      expect(await caller.call('getJob', { project_id, job_id: job })).toMatchObject({
        job_status: 'PENDING',
        retry_count: 0,
        error: null,
      });
      worker = await cell.startWorker();
      expect(await waitForJob(caller, project_id, job)).toMatchObject(succeeded());
      expect(await statusesOf(cell.sql, job)).toEqual(['RUNNING', 'PENDING', 'RUNNING', 'SUCCEED']);
      await expectSound(cell);
    },
  );
});
