import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JobCell, startJobCell } from './job-cell.ts';
import { endlessSearch, watchStage } from './job-stages.ts';
import { makeProject, submit } from './training.ts';

let cell: JobCell;
beforeAll(async () => {
  cell = await startJobCell({ env: { JOB_PLACES: '2' } });
});
afterAll(() => cell[Symbol.asyncDispose]());

interface Standing {
  readonly attempt: number;
  /** Seconds since the last sign of life. */
  readonly silent: number;
}

test('a worker that was asleep takes its own job again, and the end of the old attempt does not silence the new one', async () => {
  const caller = await cell.newCaller();
  const project = await makeProject(caller, endlessSearch);
  await using worker = await cell.startWorker();
  const job_id = await submit(caller, project);
  const standing = async () => {
    const text = `SELECT attempt, extract(epoch FROM clock_timestamp() - heartbeat_at)::float8 AS silent
      FROM jobs WHERE job_id = $1`;
    return (await cell.sql.query<Standing>(text, [job_id])).rows[0];
  };
  await watchStage(cell.sql, 'searching').reached(job_id);
  worker.signal('SIGSTOP');
  // Longer than five beats.
  await sleep(4000);
  worker.signal('SIGCONT');
  await expect.poll(async () => (await standing())?.attempt, { timeout: 20_000 }).toBe(2);
  await expect.poll(() => worker.output(), { timeout: 20_000 }).toContain('its work ends');
  // Without its beats it would be given up meanwhile.
  await sleep(5000);
  const { attempt = 0, silent = Number.NaN } = (await standing()) ?? {};
  expect(attempt).toBe(2);
  expect(silent).toBeLessThan(2.5);
  await caller.call('cancelJob', { project_id: project.project_id, job_id });
});
