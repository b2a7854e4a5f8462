import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JobQueue, openQueue } from '../../../src/kernel/postgres/queue.ts';
import { openTestDatabase } from '../stack/database.ts';
import { expectLogged, type ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { makeProject, submit, succeeded, waitForJob } from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf } from './job-history.ts';
import { holdReading, longSearch, watchStage } from './job-stages.ts';

let queue: JobQueue;

// Workers notice a lost job late, so that two work on it for a while.
const cell = perFile(() => startJobCell({ env: { JOB_HEARTBEAT_SECONDS: '2' } }));
const caller = perFile(() => cell.newCaller());
const project = perFile(() => makeProject(caller, longSearch));
const db = perFile(() => openTestDatabase(cell.databaseUrl, 1));

beforeAll(async () => {
  queue = await openQueue(db, (error) => console.error(error));
});
afterAll(async () => {
  await queue.close();
});

async function keyOf(jobId: string): Promise<number> {
  const { rows } = await cell.sql.query<{ job_key: number }>('SELECT job_key FROM jobs WHERE job_id = $1', [
    jobId,
  ]);
  return rows[0]?.job_key ?? 0;
}

/** Delivers the job once more; `sets` changes its row in the same transaction. */
async function deliver(jobId: string, attempt: number, sets?: string): Promise<void> {
  const jobKey = await keyOf(jobId);
  await db.transaction(async (tx) => {
    if (sets) await tx.rows({ name: '', text: `UPDATE jobs SET ${sets} WHERE job_key = $1` }, [jobKey]);
    await queue.send(
      tx,
      { jobType: 'TRAINING', jobKey, attempt },
      { group: caller.accountId, fairRank: 0, afterSeconds: 0 },
    );
  });
}

async function startsOf(jobId: string): Promise<number> {
  const history = await historyOf(cell.sql, jobId);
  return history.filter(({ job_status, stage }) => job_status === 'RUNNING' && stage === null).length;
}

test('a job that is delivered to two workers, before and while it runs, runs once', async () => {
  const job = await submit(caller, project);
  await deliver(job, 0);
  const workers = await Promise.all([cell.startWorker(), cell.startWorker()]);
  await watchStage(cell.sql, 'searching').reached(job);
  await deliver(job, 0);
  expect(await waitForJob(caller, project.project_id, job)).toMatchObject(succeeded());
  expect(await startsOf(job)).toBe(1);
  await expectSound(cell);
  for (const worker of workers) await worker[Symbol.asyncDispose]();
});

test('of two workers on one job, the last to claim it publishes, and the other loses it', async () => {
  const second = await cell.startWorker();
  second.signal('SIGSTOP');
  const first = await cell.startWorker();
  const job = await runOnBoth(second);
  expect(await waitForJob(caller, project.project_id, job)).toMatchObject(succeeded());
  await expectLogged(first, 'reassigned');
  await expectLogged(second, 'job succeeded');
  expect(first.output()).not.toContain('job succeeded');
  expect(await startsOf(job)).toBe(2);
  await expectSound(cell);
});

/**
 * A job that one worker is reading for when `other`, which was suspended, claims it: both are working on it when this
 * returns.
 */
async function runOnBoth(other: ServerProcess): Promise<string> {
  await using reading = await holdReading(cell.sql, project);
  const jobId = await submit(caller, project);
  await reading.reached(jobId, 1);
  await deliver(jobId, 1, `job_status = 'PENDING'`);
  other.signal('SIGCONT');
  await reading.reached(jobId, 2);
  return jobId;
}
