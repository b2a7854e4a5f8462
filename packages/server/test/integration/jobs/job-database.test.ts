import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { makeBreakable, type Tap } from '../stack/breakable.ts';
import { startMigratedPostgres } from '../stack/database.ts';
import { expectLogged, type ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import {
  ended,
  fixedParameters,
  type Job,
  makeProject,
  submit,
  succeeded,
  type TestProject,
} from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { statusesOf } from './job-history.ts';
import { holdPublishing, holdReading, longSearch, meetInStage, watchStage } from './job-stages.ts';

let worker: ServerProcess;

/** A worker that is silent for this long counts as dead; see job-cell.ts. */
const lostMs = 2500;

const postgres = perFile(() => startMigratedPostgres());
const cell = perFile(() => startJobCell({ databaseUrl: postgres.url }));
const caller = perFile(() => cell.newCaller());
const small = perFile(() => makeProject(caller, { parameters: fixedParameters }));
const searching = perFile(() => makeProject(caller, longSearch));
afterEach(() => worker[Symbol.asyncDispose]());

/** Retries while the API reports that the database is unavailable. */
async function waitForEnd({ project_id }: TestProject, job_id: string): Promise<Job> {
  for (const end = performance.now() + 60_000; ; ) {
    const { status, body } = await caller.ask('getJob', { project_id, job_id });
    if (status === 200 && ended(body)) return body;
    if (status !== 200) expect(status).toBe(503);
    if (performance.now() > end) throw new Error(`The job does not end: ${JSON.stringify(body)}`);
    await sleep(50);
  }
}

const outages = [
  { outage: 'restarted', bring: () => postgres.restart() },
  {
    outage: 'killed, and away for longer than a worker may be silent',
    bring: async () => {
      await postgres.kill();
      await sleep(lostMs + 1500);
      await postgres.restart();
    },
  },
];

describe.each(outages)('a job whose database is $outage', ({ bring }) => {
  test('while it computes continues and succeeds', async () => {
    worker = await cell.startWorker();
    const job = await submit(caller, searching);
    await watchStage(cell.sql, 'searching').reached(job);
    await bring();
    expect(await waitForEnd(searching, job)).toMatchObject(succeeded());
    await expectSound(cell);
  });

  test('while it reads is retried and succeeds', async () => {
    worker = await cell.startWorker();
    const job = await meetInStage(holdReading(cell.sql, small), () => submit(caller, small), bring);
    expect(await waitForEnd(small, job)).toMatchObject(succeeded(1));
    await expectSound(cell);
  });
});

test('a model stays if its publication was committed and only the response was lost', async () => {
  let lost = 0;
  /** Passes a publication's COMMIT, and drops the first response. */
  const tap: Tap = (from, to) => {
    let isPublication = false;
    from.on('data', (bytes) => {
      isPublication ||= bytes.includes('succeed_attempt');
      if (!isPublication || !bytes.includes('COMMIT') || lost > 0) return;
      lost += 1;
      to.unpipe(from);
      to.once('data', () => from.destroy()).resume();
    });
  };
  await using way = await makeBreakable(postgres.url, tap);
  worker = await cell.startWorker({ DATABASE_URL: way.url });
  const job = await submit(caller, small);
  expect(await waitForEnd(small, job)).toMatchObject(succeeded());
  await expectLogged(worker, 'job succeeded');
  expect(lost).toBe(1);
  await expectSound(cell);
});

test('a worker that is cut off from its database loses its job, publishes nothing, and recovers when reconnected', async () => {
  await using way = await makeBreakable(postgres.url);
  worker = await cell.startWorker({ DATABASE_URL: way.url });
  const job = await submit(caller, searching);
  await watchStage(cell.sql, 'searching').reached(job);
  await way.cut();
  {
    await using other = await cell.startWorker();
    expect(await waitForEnd(searching, job)).toMatchObject(succeeded(1));
    await expectLogged(other, 'job succeeded');
  }
  await way.mend();
  expect(await waitForEnd(small, await submit(caller, small))).toMatchObject(succeeded());
  await expectLogged(worker, 'reassigned');
  await expectSound(cell);
});

test('a publication that waits does not cost the worker its other jobs', async () => {
  worker = await cell.startWorker({ JOB_CONCURRENCY: '2' });
  const [reading, publishing] = await holdBoth(lostMs + 2000);
  for (const [project, job] of [
    [searching, reading],
    [small, publishing],
  ] as const) {
    expect(await waitForEnd(project, job)).toMatchObject(succeeded());
    expect(await statusesOf(cell.sql, job)).toEqual(['RUNNING', 'SUCCEED']);
  }
  await expectSound(cell);
});

/** Two jobs: one reads while the other publishes for that long. */
async function holdBoth(ms: number): Promise<[string, string]> {
  await using held = await holdReading(cell.sql, searching);
  const reading = await submit(caller, searching);
  await held.reached(reading);
  await using alsoHeld = await holdPublishing(cell.sql);
  const publishing = await submit(caller, small);
  await alsoHeld.reached(publishing);
  await sleep(ms);
  return [reading, publishing];
}
