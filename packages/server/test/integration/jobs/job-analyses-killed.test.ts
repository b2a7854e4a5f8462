import { beforeAll, describe, expect, test } from 'vitest';
import type { ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { succeeded, waitForJob } from '../stack/training.ts';
import { allStages, busyStages, startAnalysedCell } from './analysed-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf } from './job-history.ts';
import { endBy, meetInStage } from './job-stages.ts';

let worker: ServerProcess;

const cell = perFile(() => startAnalysedCell());

const ended = (jobId: string) => waitForJob(cell.caller, cell.project.project_id, jobId);

beforeAll(() => {
  ({ worker } = cell);
});

describe('a worker', () => {
  test.each(allStages)(
    'killed during $type while $stage leaves the job to another worker, which finishes it',
    async ({ submit, hold }) => {
      const job = await meetInStage(
        hold(cell),
        () => submit(cell),
        async () => {
          await endBy(worker, 'SIGKILL');
          worker = await cell.startWorker();
        },
      );
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

  test.each(busyStages)('stopped during $type while $stage requeues the job', async ({ submit, hold }) => {
    const job = await meetInStage(
      hold(cell),
      () => submit(cell),
      () => endBy(worker, 'SIGTERM'),
    );
    const { project_id } = cell.project;
    const given = await cell.caller.call('getJob', { project_id, job_id: job });
    expect(given).toMatchObject({ job_status: 'PENDING', retry_count: 0, error: null });
    worker = await cell.startWorker();
    expect(await ended(job)).toMatchObject(succeeded());
    await expectSound(cell);
  });
});
