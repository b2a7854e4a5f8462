import { getEventListeners } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { Deadline } from '../src/deadline.ts';
import { RateLimitError, TimeoutError } from '../src/index.ts';
import { connect, jobRef, Peer, problem, training } from './peer.ts';

let peer: Peer;
beforeEach(async () => {
  peer = await Peer.start();
});

test('a call ends at its timeoutMs, and says so', async () => {
  peer.script('hang');
  const failure = await connect(peer, { timeoutMs: 1000 })
    .getJob(jobRef)
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(TimeoutError);
  expect(failure).toMatchObject({ operation: 'getJob', timeoutMs: 1000 });
  expect(peer.calls).toHaveLength(1);
});

test("a call's own timeoutMs goes before the client's", async () => {
  peer.script('hang');
  const client = connect(peer, { timeoutMs: 60_000 });
  await expect(client.submitTrainingJob(training, { timeoutMs: 100 })).rejects.toThrow(
    /within 100 ms\. It may have been carried out/,
  );
});

test('the time for a token counts', async () => {
  peer.token = () => 'hang';
  await expect(connect(peer, { timeoutMs: 100 }).getJob(jobRef)).rejects.toBeInstanceOf(TimeoutError);
});

test('the time for an answer that never ends counts', async () => {
  peer.script({ headers: { 'content-length': '1000' }, body: '{' });
  await expect(connect(peer, { timeoutMs: 100 }).getJob(jobRef)).rejects.toBeInstanceOf(TimeoutError);
});

test('a fetch that does not heed its signal is left behind', async () => {
  const deaf = () => new Promise<never>(() => undefined);
  await expect(connect(peer, { timeoutMs: 100, fetch: deaf }).getJob(jobRef)).rejects.toBeInstanceOf(
    TimeoutError,
  );
  const endless: typeof fetch = async (input, init) =>
    typeof input === 'string' && input.includes('/get-job')
      ? new Response(new ReadableStream())
      : fetch(input, init);
  await expect(connect(peer, { timeoutMs: 100, fetch: endless }).getJob(jobRef)).rejects.toBeInstanceOf(
    TimeoutError,
  );
});

test('Infinity sets no limit', async () => {
  await expect(connect(peer, { timeoutMs: Infinity }).getJob(jobRef)).resolves.toEqual({ ok: true });
});

test('a signal that is aborted already sends nothing', async () => {
  const signal = AbortSignal.abort(new Error('never mind'));
  await expect(connect(peer).getJob(jobRef, { signal })).rejects.toThrow('never mind');
  expect(peer.received).toHaveLength(0);
});

test("an abort during the call rejects with the signal's reason", async () => {
  const controller = new AbortController();
  peer.operation = () => {
    controller.abort();
    return 'hang';
  };
  const failure = await connect(peer)
    .getJob(jobRef, { signal: controller.signal })
    .catch((reason: unknown) => reason);
  expect(failure).toBe(controller.signal.reason);
  expect(failure).toMatchObject({ name: 'AbortError' });
});

test('an abort ends the pause before a retry', async () => {
  const controller = new AbortController();
  peer.script(problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '20' }));
  const started = Date.now();
  const call = connect(peer).getJob(jobRef, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 200);
  await expect(call).rejects.toThrow('enough');
  expect(Date.now() - started).toBeLessThan(5_000);
  expect(peer.calls).toHaveLength(1);
});

test('a pause that fits is slept for real', async () => {
  peer.script(problem(429, 'QPS_EXCEEDED', { 'retry-after': '1' }), { body: { ok: true } });
  const started = Date.now();
  await connect(peer).recommendItemsToUser({ user_id: 'u' });
  expect(Date.now() - started).toBeGreaterThanOrEqual(990);
  peer.script(problem(429, 'QPS_EXCEEDED', { 'retry-after': '1' }));
  await expect(
    connect(peer).recommendItemsToUser({ user_id: 'u' }, { timeoutMs: 500 }),
  ).rejects.toBeInstanceOf(RateLimitError);
});

test('leaves no listener on the signal of a caller', async () => {
  const { signal } = new AbortController();
  await connect(peer).getJob(jobRef, { signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('leaves no timer that would keep a process from ending', async () => {
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
