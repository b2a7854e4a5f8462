import { afterEach, describe, expect, test } from 'vitest';
import type { ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import {
  failed,
  fixedParameters,
  type Job,
  makeProject,
  submit,
  waitForJob,
  waitsForRetry,
} from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf } from './job-history.ts';
import { holdStore } from './job-stages.ts';
import { startCellSwift } from './job-swift.ts';

let worker: ServerProcess | undefined;

const swift = perFile(() => startCellSwift());
const cell = perFile(() => startJobCell({ env: swift.env }));
const caller = perFile(() => cell.newCaller());
const project = perFile(() => makeProject(caller, { parameters: fixedParameters }));
afterEach(() => worker?.[Symbol.asyncDispose]());

const waitFor = (jobId: string, is?: (job: Job) => boolean) =>
  waitForJob(caller, project.project_id, jobId, is);

/** It was tried four times, with growing delays, and its error says what was wrong. */
async function expectGivenUp(jobId: string): Promise<void> {
  expect(await waitFor(jobId)).toMatchObject(failed('STORE_UNAVAILABLE', 3));
  const history = await historyOf(cell.sql, jobId);
  const waits = history.flatMap((standing, place) => {
    const next = history[place + 1];
    if (standing.job_status !== 'PENDING' || !next) return [];
    expect(standing.code).toBe('STORE_UNAVAILABLE');
    expect(next.at - standing.at).toBeGreaterThan(standing.pause);
    return [standing.pause];
  });
  expect(waits.map((wait) => Math.round(wait * 10) / 10)).toEqual([0.1, 0.4, 1.6]);
}

/** It failed at least once, and then succeeded. */
async function expectRecovered(jobId: string): Promise<void> {
  const job = await waitFor(jobId);
  expect(job).toMatchObject({ job_status: 'SUCCEED', error: null });
  expect(job.retry_count).toBeGreaterThan(0);
}

describe('a job whose object store', () => {
  test('has no bucket fails after three retries, or succeeds once the bucket exists', async () => {
    worker = await cell.startWorker();
    await expectGivenUp(await submit(caller, project));
    const job = await submit(caller, project);
    await waitFor(job, waitsForRetry);
    await swift.createBucket();
    await expectRecovered(job);
    await expectSound(cell);
  });

  test('refuses the credentials fails after three retries, and a worker with the right ones removes its leftovers', async () => {
    worker = await cell.startWorker({ AWS_SECRET_ACCESS_KEY: 'not the one' });
    await expectGivenUp(await submit(caller, project));
    await worker[Symbol.asyncDispose]();
    worker = await cell.startWorker();
    await expectSound(cell);
  });

  test('does not respond fails after three retries, or succeeds once it responds', async () => {
    worker = await cell.startWorker({ OBJECTS_TIMEOUT_SECONDS: '1' });
    const job = await failAndWait();
    await expectRecovered(job);
    await expectSound(cell);
  });

  /** A job that waits for a retry, after another has failed for good; then the store responds again. */
  async function failAndWait(): Promise<string> {
    await using writing = holdStore(cell.sql, swift, 'writing');
    const hopeless = await submit(caller, project);
    await writing.reached(hopeless);
    await expectGivenUp(hopeless);
    const jobId = await submit(caller, project);
    await waitFor(jobId, waitsForRetry);
    return jobId;
  }
});
