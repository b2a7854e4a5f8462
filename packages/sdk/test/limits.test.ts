import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { Deadline } from '../src/deadline.ts';
import { RateLimitError, TimeoutError } from '../src/index.ts';
import { connect, jobRef, problem, server, serverPerTest, training } from './fake-server.ts';

serverPerTest();

test('a call rejects with a TimeoutError after timeoutMs', async () => {
  server.script('hang');
  const failure = await connect(server, { timeoutMs: 1000 })
    .getJob(jobRef)
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(TimeoutError);
  expect(failure).toMatchObject({ operation: 'getJob', timeoutMs: 1000 });
  expect(server.calls).toHaveLength(1);
});

test("the timeoutMs of a call overrides the client's", async () => {
  server.script('hang');
  const client = connect(server, { timeoutMs: 60_000 });
  const call = client.submitTrainingJob(training, { timeoutMs: 100 });
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError', timeoutMs: 100 });
});

test('timeoutMs includes the token request', async () => {
  server.token = () => 'hang';
  await expect(connect(server, { timeoutMs: 100 }).getJob(jobRef)).rejects.toBeInstanceOf(TimeoutError);
});

test('timeoutMs includes reading the response', async () => {
  server.script({ headers: { 'content-length': '1000' }, body: '{' });
  await expect(connect(server, { timeoutMs: 100 }).getJob(jobRef)).rejects.toBeInstanceOf(TimeoutError);
});

test('a call times out even if fetch ignores its signal', async () => {
  const deaf = () => new Promise<never>(() => undefined);
  await expect(connect(server, { timeoutMs: 100, fetch: deaf }).getJob(jobRef)).rejects.toBeInstanceOf(
    TimeoutError,
  );
  const endless: typeof fetch = async (input, init) =>
    typeof input === 'string' && input.includes('/get-job')
      ? new Response(new ReadableStream())
      : fetch(input, init);
  await expect(connect(server, { timeoutMs: 100, fetch: endless }).getJob(jobRef)).rejects.toBeInstanceOf(
    TimeoutError,
  );
});

test('Infinity sets no limit', async () => {
  await expect(connect(server, { timeoutMs: Infinity }).getJob(jobRef)).resolves.toEqual({ ok: true });
});

test('a call with an aborted signal sends nothing', async () => {
  const signal = AbortSignal.abort(new Error('never mind'));
  await expect(connect(server).getJob(jobRef, { signal })).rejects.toThrow('never mind');
  expect(server.received).toHaveLength(0);
});

test("an abort during the call rejects with the signal's reason", async () => {
  const controller = new AbortController();
  server.operation = () => {
    controller.abort();
    return 'hang';
  };
  const failure = await connect(server)
    .getJob(jobRef, { signal: controller.signal })
    .catch((reason: unknown) => reason);
  expect(failure).toBe(controller.signal.reason);
  expect(failure).toMatchObject({ name: 'AbortError' });
});

test('an abort ends the pause before a retry', async () => {
  const controller = new AbortController();
  server.script(problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '20' }));
  const started = Date.now();
  const call = connect(server).getJob(jobRef, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 200);
  await expect(call).rejects.toThrow('enough');
  expect(Date.now() - started).toBeLessThan(20_000);
  expect(server.calls).toHaveLength(1);
});

test('waits out Retry-After if the time allows it', async () => {
  server.script(problem(429, 'QPS_EXCEEDED', { 'retry-after': '1' }), { body: { ok: true } });
  const started = Date.now();
  await connect(server).recommendItemsToUser({ user_id: 'u' });
  expect(Date.now() - started).toBeGreaterThanOrEqual(990);
  server.script(problem(429, 'QPS_EXCEEDED', { 'retry-after': '1' }));
  await expect(
    connect(server).recommendItemsToUser({ user_id: 'u' }, { timeoutMs: 500 }),
  ).rejects.toBeInstanceOf(RateLimitError);
});

test("leaves no listener on the caller's signal", async () => {
  const { signal } = new AbortController();
  await connect(server).getJob(jobRef, { signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('leaves no timer that would keep the process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const controller = new AbortController();
  const deadline = new Deadline(60_000, systemClock, controller.signal);
  const pause = systemClock.sleep(60_000, deadline.signal);
  expect(timers()).toBe(before + 2);
  controller.abort(new Error('enough'));
  await expect(pause).rejects.toThrow('enough');
  deadline.dispose();
  expect(timers()).toBe(before);
  expect(deadline.expired).toBe(false);
});
