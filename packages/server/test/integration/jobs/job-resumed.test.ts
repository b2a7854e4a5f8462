import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectLogged } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { makeProject, submit } from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { endlessSearch, watchStage } from './job-stages.ts';

const cell = perFile(() => startJobCell({ env: { JOB_CONCURRENCY: '2' } }));

interface Standing {
  readonly attempt: number;
  /** Seconds since the last heartbeat. */
  readonly silent: number;
}

test("a resumed worker claims its own job again, and the end of the old attempt does not stop the new one's heartbeat", async () => {
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
  // Longer than five heartbeats.
  await sleep(4000);
  worker.signal('SIGCONT');
  await expect.poll(async () => (await standing())?.attempt).toBe(2);
  await expectLogged(worker, 'stopped working on it');
  // Without heartbeats it would be given up by now.
  await sleep(5000);
  const { attempt = 0, silent = Number.NaN } = (await standing()) ?? {};
  expect(attempt).toBe(2);
  expect(silent).toBeLessThan(2.5);
  await caller.call('cancelJob', { project_id: project.project_id, job_id });
});
