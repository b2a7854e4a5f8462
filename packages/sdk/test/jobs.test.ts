import { beforeEach, expect, expectTypeOf, test } from 'vitest';
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
import { connect, FakeClock, jobRef, Peer, problem, type Step } from './peer.ts';

let peer: Peer;
let clock: FakeClock;
beforeEach(async () => {
  peer = await Peer.start();
  clock = new FakeClock();
});

const job = (fields: Partial<Job>): Step => ({
  body: {
    ...{ ...jobRef, job_type: 'TRAINING', name: 'nightly', job_status: 'RUNNING', job_result: null },
    ...{ retry_count: 0, error: null, progress: null, ...fields },
  },
});
const running = (fraction: number) => job({ progress: { stage: 'learning', fraction, message: null } });
const done = job({ job_status: 'SUCCEED', job_result: { model_id: 'mdl_1' } });
const wait = (options = {}) => connect(peer, { maxRetries: 0 }, clock).waitForJob(jobRef, options);

test('resolves with the job once it has succeeded, and shows each change on the way, once', async () => {
  peer.script(job({ job_status: 'PENDING' }), running(0.1), running(0.1), running(0.5), done);
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

test('looks often at first, then ever less, and every ten seconds at the least', async () => {
  peer.script(...Array.from({ length: 30 }, (_, index) => running(index / 30)), done);
  await wait();
  expect(clock.pauses[0]).toBe(250);
  for (const [index, pause] of clock.pauses.entries())
    expect(pause).toBeGreaterThanOrEqual(clock.pauses[index - 1] ?? 0);
  expect(clock.pauses.at(-1)).toBe(10_000);
});

test('rejects with the reason, written for who submitted it, when the job failed', async () => {
  const error = { code: 'NO_TARGET_EVENTS', message: 'There are no events of type read.' };
  peer.script(running(0.2), job({ job_status: 'FAILED', error }));
  const failure = await wait().catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(JobFailedError);
  expect(failure).toMatchObject({ code: error.code, detail: error.message, job: { job_id: 'job_1' } });
  expect(failure).toHaveProperty('message', expect.stringContaining(error.message));
});

test('rejects when the job was canceled', async () => {
  peer.script(running(0.2), job({ job_status: 'CANCELED' }));
  const failure = await wait().catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(JobCanceledError);
  expect(failure).toMatchObject({ code: 'JOB_CANCELED', job: { job_status: 'CANCELED' } });
});

test('goes on while the service is away, and sees the end when it is back', async () => {
  const away: Step[] = ['reset', problem(503, 'UNAVAILABLE'), problem(429, 'TOO_MANY_REQUESTS')];
  peer.script(running(0.1), ...away, ...away, ...away, running(0.9), done);
  await expect(wait()).resolves.toMatchObject({ job_status: 'SUCCEED' });
});

test('gives up when the service stays away', async () => {
  peer.script(running(0.1), 'reset');
  await expect(wait()).rejects.toBeInstanceOf(ConnectionError);
  expect(clock.pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(10 * 60_000);
});

test('ends at once when there is no such job', async () => {
  peer.script(problem(404, 'NOT_FOUND'));
  await expect(wait()).rejects.toBeInstanceOf(NotFoundError);
  expect(peer.calls).toHaveLength(1);
});

test('ends at its timeoutMs, and says that the job goes on', async () => {
  peer.script(running(0.1));
  const failure = await connect(peer)
    .waitForJob(jobRef, { timeoutMs: 700 })
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(TimeoutError);
  expect(failure).toHaveProperty('message', expect.stringContaining('The job goes on'));
});

test("an abort rejects with the signal's reason, in a pause and in a call", async () => {
  for (const step of [running(0.1), 'hang' as const]) {
    peer.script(step);
    const controller = new AbortController();
    const waiting = connect(peer).waitForJob(jobRef, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(waiting).rejects.toThrow('enough');
  }
});

test('a job of another type than expected is an error, and types follow what is expected', async () => {
  peer.script(done);
  const client = connect(peer, {}, clock);
  await expect(client.waitForJob({ ...jobRef, job_type: 'DEPLOYMENT' })).rejects.toThrow(
    'job_1 is a job of type TRAINING, not DEPLOYMENT.',
  );
  const { job_result } = await client.waitForJob({ ...jobRef, job_type: 'TRAINING' });
  expectTypeOf(job_result).toEqualTypeOf<{ model_id: string }>();
  expectTypeOf<SucceededJob<'DEPLOYMENT'>['job_result']>().toEqualTypeOf<{ serving_uri: string }>();
  expectTypeOf<Awaited<ReturnType<Tastegraph['waitForJob']>>>().toEqualTypeOf<SucceededJob>();
});
