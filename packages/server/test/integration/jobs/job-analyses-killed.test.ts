import { beforeAll, describe, expect, test } from 'vitest';
import type { ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { succeeded, waitForJob } from '../stack/training.ts';
import { allStages, busyStages, type Stage, startAnalysedCell } from './analysed-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf } from './job-history.ts';

let worker: ServerProcess;

const cell = perFile(() => startAnalysedCell());

const ended = (jobId: string) => waitForJob(cell.caller, cell.project.project_id, jobId);

beforeAll(() => {
  ({ worker } = cell);
});

describe('a worker', () => {
  test.each(allStages)(
    'killed during $type while $stage leaves the job to another worker, which finishes it',
    async (stage) => {
      const job = await killInStage(stage);
      expect(await ended(job)).toMatchObject(succeeded(1));
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
    await using held = await hold(cell);
    const job = await submit(cell);
    await held.reached(job);
    worker.signal('SIGKILL');
    expect(await worker.ended).toBe('SIGKILL');
    worker = await cell.startWorker();
    return job;
  }

  test.each(busyStages)('stopped during $type while $stage requeues the job', async ({ submit, hold }) => {
    const job = await stopInStage(submit, hold);
    const { project_id } = cell.project;
    const given = await cell.caller.call('getJob', { project_id, job_id: job });
    expect(given).toMatchObject({ job_status: 'PENDING', retry_count: 0, error: null });
    worker = await cell.startWorker();
    expect(await ended(job)).toMatchObject(succeeded());
    await expectSound(cell);
  });

  async function stopInStage(submit: Stage['submit'], hold: Stage['hold']): Promise<string> {
    await using held = await hold(cell);
    const job = await submit(cell);
    await held.reached(job);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
    return job;
  }
});
