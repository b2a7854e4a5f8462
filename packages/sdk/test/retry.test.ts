import { describe, expect, test } from 'vitest';
import { ApiError, ConnectionError, NotFoundError, RateLimitError } from '../src/index.ts';
import { connect, FakeClock, jobRef, problem, server, serverPerTest, training } from './fake-server.ts';

let clock: FakeClock;
serverPerTest(() => {
  clock = new FakeClock();
});

const ok = { body: { ok: true } };
const unavailable = problem(503, 'UNAVAILABLE');
const model = { project_id: 'prj_1', model_id: 'mdl_1' };

describe('an idempotent operation', () => {
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
  ])('is retried after %s', async (_, step) => {
    server.script(step, ok);
    await expect(connect(server, {}, clock).getJob(jobRef)).resolves.toEqual({ ok: true });
    expect(server.calls).toHaveLength(2);
  });

  test.each([
    'upsertDatasetEvents',
    'updateEventDataset',
    'deleteDatasetUserEvents',
    'recommendItemsToUser',
    'cancelJob',
  ] as const)('such as %s is retried with the same body', async (name) => {
    server.script('reset', ok);
    await connect(server, {}, clock).request(name, { user_id: 'u' });
    expect(server.calls.map(({ body }) => body)).toEqual(['{"user_id":"u"}', '{"user_id":"u"}']);
  });

  test('is not retried after a 409', async () => {
    server.script(problem(409, 'MODEL_DEPLOYED'));
    await expect(connect(server, {}, clock).deleteModel(model)).rejects.toMatchObject({
      code: 'MODEL_DEPLOYED',
    });
    expect(server.calls).toHaveLength(1);
  });

  test('is retried maxRetries times, with pauses that double up to a maximum', async () => {
    server.script(unavailable);
    clock.chance = 1;
    await expect(connect(server, { maxRetries: 7, timeoutMs: 60_000 }, clock).getJob(jobRef)).rejects.toThrow(
      'UNAVAILABLE',
    );
    expect(server.calls).toHaveLength(8);
    expect(clock.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
  });

  test('is not retried with maxRetries 0', async () => {
    server.script(unavailable);
    await expect(connect(server, { maxRetries: 0 }, clock).getJob(jobRef)).rejects.toBeInstanceOf(ApiError);
    expect(server.calls).toHaveLength(1);
  });
});

describe('creates and submits', () => {
  test.each([
    ['a reset connection', 'reset' as const],
    ['500', problem(500, 'INTERNAL')],
    ['503 with Retry-After', problem(503, 'UNAVAILABLE', { 'retry-after': '1' })],
  ])('are not retried after %s, and the error says to check first', async (_, step) => {
    server.script(step, ok);
    const client = connect(server, {}, clock);
    await expect(client.submitTrainingJob(training)).rejects.toThrow('list operation');
    expect(server.calls).toHaveLength(1);
    await client.createUserDataset({ name: 'users', num_shards: 1 });
    server.script(step);
    await expect(client.createUserDataset({ name: 'users', num_shards: 1 })).rejects.toThrow(
      'list operation',
    );
    expect(server.calls).toHaveLength(3);
  });

  test('are retried after 429', async () => {
    server.script(problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '1' }), { body: { job_id: 'job_1' } });
    await expect(connect(server, {}, clock).submitTrainingJob(training)).resolves.toEqual({
      job_id: 'job_1',
    });
  });
});

describe('Retry-After', () => {
  test('is waited out in full, with jitter on top', async () => {
    server.script(problem(429, 'QPS_EXCEEDED', { 'retry-after': '3' }), ok);
    await connect(server, {}, clock).recommendItemsToUser({ user_id: 'u' });
    expect(clock.pauses).toEqual([3125]);
  });

  test('can be a date', async () => {
    const date = new Date(clock.time + 5_000).toUTCString();
    server.script(problem(503, 'UNAVAILABLE', { 'retry-after': date }), ok);
    await connect(server, {}, clock).getJob(jobRef);
    expect(clock.pauses).toEqual([5125]);
  });

  test('longer than the remaining time rejects immediately with the original error', async () => {
    server.script(problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '31' }), ok);
    const failure = await connect(server, {}, clock)
      .getJob(jobRef)
      .catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(RateLimitError);
    expect(failure).toMatchObject({ retryAfterSeconds: 31, requestId: 'req-1' });
    expect(clock.pauses).toEqual([]);
    expect(server.calls).toHaveLength(1);
  });
});

describe('a 404 for a delete', () => {
  const missing = problem(404, 'NOT_FOUND');

  test.each([
    ['on the first attempt', [missing]],
    ['after a 429', [problem(429, 'TOO_MANY_REQUESTS'), missing]],
  ])('is an error %s', async (_, steps) => {
    server.script(...steps);
    await expect(connect(server, {}, clock).deleteModel(model)).rejects.toBeInstanceOf(NotFoundError);
  });

  test.each([
    ['an attempt without a response', 'reset' as const],
    ['a 503', unavailable],
  ])('resolves with null after %s', async (_, step) => {
    server.script(step, missing);
    await expect(connect(server, {}, clock).deleteModel(model)).resolves.toBeNull();
  });

  test('is an error if it is not from the service', async () => {
    server.script('reset', { status: 404, headers: { 'content-type': 'text/html' }, body: 'not here' });
    await expect(connect(server, {}, clock).deleteModel(model)).rejects.toMatchObject({
      code: 'UNRECOGNIZED',
    });
  });

  test('of records is always an error, because the dataset does not exist', async () => {
    server.script('reset', missing);
    const request = { event_dataset_id: 'eds_1', user_id: 'u' };
    await expect(connect(server, {}, clock).deleteDatasetUserEvents(request)).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });
});

test('rejects with a ConnectionError and its cause if there is no server', async () => {
  await server.stop();
  const failure = await connect(server, { maxRetries: 1 }, clock)
    .getJob(jobRef)
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(ConnectionError);
  expect(failure).toHaveProperty('origin', server.baseUrl);
  expect(failure).toHaveProperty('message', expect.stringContaining('ECONNREFUSED'));
  expect(failure).toHaveProperty('cause', expect.any(Error));
});

test('an incomplete response is retried like a connection error', async () => {
  server.script({ headers: { 'content-length': '1000' }, body: '{"ok":' }, ok);
  server.operation = ((script) => async (received, nth) => {
    if (nth === 1) setTimeout(() => server.closeConnections(), 50);
    return script(received, nth);
  })(server.operation);
  await expect(connect(server, {}, clock).getJob(jobRef)).resolves.toEqual({ ok: true });
});
