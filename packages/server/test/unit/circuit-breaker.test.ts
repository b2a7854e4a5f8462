import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker } from '../../src/kernel/redis/circuit-breaker.ts';

const timeoutMs = 20;
const pauseMs = 1000;

/** How long the service takes to respond; undefined: it never does. */
let latencyMs: number | undefined;
let pings: number;
let changes: boolean[];
let breaker: CircuitBreaker;

beforeEach(() => {
  vi.useFakeTimers();
  latencyMs = 1;
  pings = 0;
  changes = [];
  breaker = createCircuitBreaker({
    timeoutMs,
    pauseMs,
    ping: () => {
      pings++;
      return respond();
    },
    onChange: (isOpen) => changes.push(isOpen),
  });
});
afterEach(() => void vi.useRealTimers());

function respond(): Promise<string> {
  return new Promise((resolve) => {
    if (latencyMs !== undefined) setTimeout(() => resolve('response'), latencyMs);
  });
}

/** The result, and how long it took. */
async function call(request = respond): Promise<{ result: string | undefined; tookMs: number }> {
  const start = performance.now();
  const call = breaker.call(request).then((result) => ({ result, tookMs: performance.now() - start }));
  await vi.advanceTimersByTimeAsync(timeoutMs + 1);
  return call;
}

test('every call goes through to a service that responds in time', async () => {
  for (let n = 0; n < 3; n++) expect(await call()).toEqual({ result: 'response', tookMs: 1 });
  expect(changes).toEqual([]);
});

test('a service that hangs costs one timeout and one ping, however long it hangs', async () => {
  latencyMs = undefined;
  const first = await call();
  expect(first.result).toBeUndefined();
  expect(first.tookMs).toBeLessThanOrEqual(timeoutMs + 1);
  for (let n = 0; n < 500; n++) expect(await call()).toEqual({ result: undefined, tookMs: 0 });
  expect(pings).toBe(1);
  expect(changes).toEqual([true]);
});

test('calls resume at once after a short stall', async () => {
  latencyMs = 100;
  expect((await call()).result).toBeUndefined();
  latencyMs = 1;
  await vi.advanceTimersByTimeAsync(100);
  expect((await call()).result).toBe('response');
  expect(changes).toEqual([true, false]);
});

test('a service that is always too slow gets one background ping per second and no calls', async () => {
  latencyMs = 100;
  await call();
  for (let n = 0; n < 480; n++) expect((await call()).tookMs).toBe(0);
  // Ten seconds have passed.
  expect(pings).toBeGreaterThan(8);
  expect(pings).toBeLessThan(12);
  expect(changes).toEqual([true]);
});

test('a service that failed is pinged after the pause, and called again once it responds', async () => {
  const fail = () => Promise.reject(new Error('gone'));
  expect(await call(fail)).toEqual({ result: undefined, tookMs: 0 });
  await vi.advanceTimersByTimeAsync(pauseMs / 2);
  expect((await call()).result).toBeUndefined();
  expect(pings).toBe(0);
  await vi.advanceTimersByTimeAsync(pauseMs / 2);
  expect((await call()).result).toBeUndefined();
  expect(pings).toBe(1);
  expect((await call()).result).toBe('response');
  expect(changes).toEqual([true, false]);
});

test('a response that arrived while the process was busy is not late', async () => {
  vi.useRealTimers();
  const response = new Promise<string>((resolve) => setImmediate(() => resolve('response')));
  const call = breaker.call(() => response);
  for (const end = performance.now() + 2 * timeoutMs; performance.now() < end; );
  expect(await call).toBe('response');
});
