import { expect, expectTypeOf, test } from 'vitest';
import {
  ConnectionError,
  type Job,
  JobCanceledError,
  JobFailedError,
  NotFoundError,
  type SucceededJob,
  type Tastegraph,
  TimeoutError,
} from '../src/index.ts';
import { connect, FakeClock, jobRef, problem, type Step, server, serverPerTest } from './fake-server.ts';

let clock: FakeClock;
serverPerTest(() => {
  clock = new FakeClock();
});

const job = (fields: Partial<Job>): Step => ({
  body: {
    ...jobRef,
    job_type: 'TRAINING',
    name: 'nightly',
    job_status: 'RUNNING',
    job_result: null,
    retry_count: 0,
    error: null,
    progress: null,
    ...fields,
  },
});
const running = (fraction: number) => job({ progress: { stage: 'learning', fraction, message: null } });
const done = job({ job_status: 'SUCCEED', job_result: { model_id: 'mdl_1' } });
const wait = (options = {}) => connect(server, { maxRetries: 0 }, clock).waitForJob(jobRef, options);

test('resolves with the succeeded job, and reports each change once', async () => {
  server.script(job({ job_status: 'PENDING' }), running(0.1), running(0.1), running(0.5), done);
  const seen: unknown[] = [];
  const ended = await wait({ onProgress: (at: Job) => seen.push([at.job_status, at.progress?.fraction]) });
  expect(ended).toMatchObject({ job_status: 'SUCCEED', job_result: { model_id: 'mdl_1' } });
  expect(seen).toEqual([
    ['PENDING', undefined],
    ['RUNNING', 0.1],
    ['RUNNING', 0.5],
    ['SUCCEED', undefined],
  ]);
});

test('polls often at first, then less and less, and at least every ten seconds', async () => {
  server.script(...Array.from({ length: 30 }, (_, index) => running(index / 30)), done);
  await wait();
  expect(clock.pauses[0]).toBe(250);
  for (const [index, pause] of clock.pauses.entries())
    expect(pause).toBeGreaterThanOrEqual(clock.pauses[index - 1] ?? 0);
  expect(clock.pauses.at(-1)).toBe(10_000);
});

test("rejects with the job's error if the job failed", async () => {
  const error = { code: 'NO_TARGET_EVENTS', message: 'The event dataset has no "read" events.' };
  server.script(running(0.2), job({ job_status: 'FAILED', error }));
  const failure = await wait().catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(JobFailedError);
  expect(failure).toMatchObject({ code: error.code, detail: error.message, job: { job_id: 'job_1' } });
  expect(failure).toHaveProperty('message', expect.stringContaining(error.message));
});

test('rejects if the job was canceled', async () => {
  server.script(running(0.2), job({ job_status: 'CANCELED' }));
  const failure = await wait().catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(JobCanceledError);
  expect(failure).toMatchObject({ code: 'JOB_CANCELED', job: { job_status: 'CANCELED' } });
});

test('keeps waiting during an outage of the service', async () => {
  const away: Step[] = ['reset', problem(503, 'UNAVAILABLE'), problem(429, 'TOO_MANY_REQUESTS')];
  server.script(running(0.1), ...away, ...away, ...away, running(0.9), done);
  await expect(wait()).resolves.toMatchObject({ job_status: 'SUCCEED' });
});

test('rejects if the outage is longer than ten minutes', async () => {
  server.script(running(0.1), 'reset');
  await expect(wait()).rejects.toBeInstanceOf(ConnectionError);
  expect(clock.pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(10 * 60_000);
});

test('rejects immediately if the job does not exist', async () => {
  server.script(problem(404, 'NOT_FOUND'));
  await expect(wait()).rejects.toBeInstanceOf(NotFoundError);
  expect(server.calls).toHaveLength(1);
});

test('rejects with a TimeoutError after timeoutMs', async () => {
  server.script(running(0.1));
  const failure = await connect(server)
    .waitForJob(jobRef, { timeoutMs: 700 })
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(TimeoutError);
  expect(failure).toMatchObject({ operation: 'getJob', timeoutMs: 700 });
});

test("an abort rejects with the signal's reason, during a pause and during a call", async () => {
  for (const step of [running(0.1), 'hang' as const]) {
    server.script(step);
    const controller = new AbortController();
    const waiting = connect(server).waitForJob(jobRef, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(waiting).rejects.toThrow('enough');
  }
});

test('a job of another type than expected is an error, and job_result has the expected type', async () => {
  server.script(done);
  const client = connect(server, {}, clock);
  await expect(client.waitForJob({ ...jobRef, job_type: 'DEPLOYMENT' })).rejects.toThrow(TypeError);
  const { job_result } = await client.waitForJob({ ...jobRef, job_type: 'TRAINING' });
  expectTypeOf(job_result).toEqualTypeOf<{ model_id: string }>();
  expectTypeOf<SucceededJob<'DEPLOYMENT'>['job_result']>().toExtend<{
    serving_uri: string;
    deployed?: boolean;
  }>();
  expectTypeOf<Awaited<ReturnType<Tastegraph['waitForJob']>>>().toEqualTypeOf<SucceededJob>();
});
