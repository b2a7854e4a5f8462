import { beforeEach, describe, expect, test } from 'vitest';
import { ApiError, ConnectionError, NotFoundError, RateLimitError } from '../src/index.ts';
import { connect, FakeClock, jobRef, Peer, problem, training } from './peer.ts';

let peer: Peer;
let clock: FakeClock;
beforeEach(async () => {
  peer = await Peer.start();
  clock = new FakeClock();
});

const ok = { body: { ok: true } };
const unavailable = problem(503, 'UNAVAILABLE');
const model = { project_id: 'prj_1', model_id: 'mdl_1' };

describe('what is repeatable', () => {
  test.each([
    ['a reset connection', 'reset' as const],
    ['500', problem(500, 'INTERNAL')],
    ['503', unavailable],
    [
      "a proxy's 502",
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
    ],
    ["a proxy's 504", { status: 504, body: '' }],
    ['429', problem(429, 'TOO_MANY_REQUESTS')],
  ])('is repeated after %s', async (_, step) => {
    peer.script(step, ok);
    await expect(connect(peer, {}, clock).getJob(jobRef)).resolves.toEqual({ ok: true });
    expect(peer.calls).toHaveLength(2);
  });

  test.each([
    'upsertDatasetEvents',
    'updateEventDataset',
    'deleteDatasetUserEvents',
    'recommendItemsToUser',
    'cancelJob',
  ] as const)('includes %s, with the same body', async (name) => {
    peer.script('reset', ok);
    await connect(peer, {}, clock).request(name, { user_id: 'u' });
    expect(peer.calls.map(({ body }) => body)).toEqual(['{"user_id":"u"}', '{"user_id":"u"}']);
  });

  test('is not repeated after a refusal', async () => {
    peer.script(problem(409, 'MODEL_DEPLOYED'));
    await expect(connect(peer, {}, clock).deleteModel(model)).rejects.toMatchObject({
      code: 'MODEL_DEPLOYED',
    });
    expect(peer.calls).toHaveLength(1);
  });

  test('is repeated maxRetries times, with pauses that double, up to a ceiling', async () => {
    peer.script(unavailable);
    clock.chance = 1;
    await expect(connect(peer, { maxRetries: 7, timeoutMs: 60_000 }, clock).getJob(jobRef)).rejects.toThrow(
      'UNAVAILABLE',
    );
    expect(peer.calls).toHaveLength(8);
    expect(clock.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
  });

  test('is not repeated with maxRetries 0', async () => {
    peer.script(unavailable);
    await expect(connect(peer, { maxRetries: 0 }, clock).getJob(jobRef)).rejects.toBeInstanceOf(ApiError);
    expect(peer.calls).toHaveLength(1);
  });
});

describe('creates and submits', () => {
  test.each([
    ['a reset connection', 'reset' as const],
    ['500', problem(500, 'INTERNAL')],
    ['503 with Retry-After', problem(503, 'UNAVAILABLE', { 'retry-after': '1' })],
  ])('are not repeated after %s, and the error says why', async (_, step) => {
    peer.script(step, ok);
    const client = connect(peer, {}, clock);
    await expect(client.submitTrainingJob(training)).rejects.toThrow('may have been carried out');
    expect(peer.calls).toHaveLength(1);
    await client.createUserDataset({ name: 'users', num_shards: 1 });
    peer.script(step);
    await expect(client.createUserDataset({ name: 'users', num_shards: 1 })).rejects.toThrow('may have been');
    expect(peer.calls).toHaveLength(3);
  });

  test('are repeated after 429, which is given before any work', async () => {
    peer.script(problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '1' }), { body: { job_id: 'job_1' } });
    await expect(connect(peer, {}, clock).submitTrainingJob(training)).resolves.toEqual({ job_id: 'job_1' });
  });
});

describe('Retry-After', () => {
  test('is waited out in full, with jitter on top', async () => {
    peer.script(problem(429, 'QPS_EXCEEDED', { 'retry-after': '3' }), ok);
    await connect(peer, {}, clock).recommendItemsToUser({ user_id: 'u' });
    expect(clock.pauses).toEqual([3125]);
  });

  test('is understood as a date', async () => {
    const date = new Date(clock.time + 5_000).toUTCString();
    peer.script(problem(503, 'UNAVAILABLE', { 'retry-after': date }), ok);
    await connect(peer, {}, clock).getJob(jobRef);
    expect(clock.pauses).toEqual([5125]);
  });

  test('beyond the time that is left ends the call at once, with the error itself', async () => {
    peer.script(problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '31' }), ok);
    const failure = await connect(peer, {}, clock)
      .getJob(jobRef)
      .catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(RateLimitError);
    expect(failure).toMatchObject({ retryAfterSeconds: 31, requestId: 'req-1' });
    expect(clock.pauses).toEqual([]);
    expect(peer.calls).toHaveLength(1);
  });
});

describe('a removal answered 404', () => {
  const missing = problem(404, 'NOT_FOUND');

  test.each([
    ['at first', [missing]],
    ['after a 429, which removed nothing', [problem(429, 'TOO_MANY_REQUESTS'), missing]],
  ])('is an error %s', async (_, steps) => {
    peer.script(...steps);
    await expect(connect(peer, {}, clock).deleteModel(model)).rejects.toBeInstanceOf(NotFoundError);
  });

  test.each([
    ['an attempt without an answer', 'reset' as const],
    ['a 503', unavailable],
  ])('is done, with nothing to tell, after %s', async (_, step) => {
    peer.script(step, missing);
    await expect(connect(peer, {}, clock).deleteModel(model)).resolves.toBeNull();
  });

  test("is an error when it is not the service's own 404", async () => {
    peer.script('reset', { status: 404, headers: { 'content-type': 'text/html' }, body: 'not here' });
    await expect(connect(peer, {}, clock).deleteModel(model)).rejects.toMatchObject({ code: 'UNRECOGNIZED' });
  });

  test('of records is an error always: it is the dataset that is missing', async () => {
    peer.script('reset', missing);
    const request = { event_dataset_id: 'eds_1', user_id: 'u' };
    await expect(connect(peer, {}, clock).deleteDatasetUserEvents(request)).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });
});

test('says that nobody answers, with the cause, when there is no server', async () => {
  await peer.stop();
  const failure = await connect(peer, { maxRetries: 1 }, clock)
    .getJob(jobRef)
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(ConnectionError);
  expect(failure).toHaveProperty('message', expect.stringContaining('ECONNREFUSED'));
  expect(failure).toHaveProperty('cause', expect.any(Error));
});

test('an answer that breaks off is a connection error, and repeated', async () => {
  peer.script({ headers: { 'content-length': '1000' }, body: '{"ok":' }, ok);
  peer.operation = ((script) => async (received, nth) => {
    if (nth === 1) setTimeout(() => peer.breakOff(), 50);
    return script(received, nth);
  })(peer.operation);
  await expect(connect(peer, {}, clock).getJob(jobRef)).resolves.toEqual({ ok: true });
});
