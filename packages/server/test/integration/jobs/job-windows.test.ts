import { expect, test } from 'vitest';
import { perFile } from '../stack/stack.ts';
import { makeProject, submit, waitForJob } from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';

const cell = perFile(() => startJobCell());

test('the files of a model do not depend on TRAINING_WINDOW_MB', async () => {
  const caller = await cell.newCaller();
  // 200 neighbors of 2,000 items take more than 3 MiB.
  const project = await makeProject(caller, { users: 300, items: 2000, each: 30 });
  const files = async (TRAINING_WINDOW_MB: string) => {
    await using _worker = await cell.startWorker({ TRAINING_WINDOW_MB });
    const job = await waitForJob(caller, project.project_id, await submit(caller, project));
    expect(job.job_status).toBe('SUCCEED');
    const { rows } = await cell.sql.query<Record<string, unknown>>(
      `SELECT object_sha256, object_size, snapshot_sha256, training #- '{seconds}' AS training
        FROM models JOIN jobs USING (job_key) WHERE job_id = $1`,
      [job.job_id],
    );
    return rows;
  };
  const inOneWindow = await files('256');
  expect(inOneWindow).toHaveLength(1);
  expect(await files('1')).toEqual(inOneWindow);
});
