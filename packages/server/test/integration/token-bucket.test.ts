import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PrivateRedis, startRedis } from '@tastegraph/dev';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRedis, type Redis } from '../../src/storage/redis/client.ts';
import { createTokenBucket, type TokenBucket } from '../../src/storage/redis/token-bucket.ts';
import type { Asked, Asking } from './bucket-process.ts';

// Its own: it is stopped and killed here.
let server: PrivateRedis;
let redis: Redis;
let bucket: TokenBucket;
/** What the bucket has said of itself: whether it is alone. */
let said: boolean[];

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = openRedis(server.url, () => undefined);
  await vi.waitUntil(() => redis.isReady, 10_000);
  said = [];
  bucket = createTokenBucket(redis, { name: 'test', onAlone: (isAlone) => said.push(isAlone) });
});
afterEach(() => redis.destroy());

let keys = 0;
const newKey = () => `project-${++keys}`;

/** How many of so many, asked for one after another, are let through. */
async function takeTimes(times: number, key: string, perSecond: number, from = bucket): Promise<number> {
  let allowed = 0;
  for (let n = 0; n < times; n++) if ((await from.take(key, perSecond)).allowed) allowed++;
  return allowed;
}

/** What a bucket lets through at most: what it holds, and what has come in since. */
const most = (perSecond: number, startMs: number) =>
  perSecond + ((performance.now() - startMs) / 1000) * perSecond;

/** From so many processes at once. */
async function askFromProcesses(count: number, asking: Asking): Promise<Asked[]> {
  const file = resolve(import.meta.dirname, 'bucket-process.ts');
  const children = Array.from({ length: count }, () => fork(file, { signal: AbortSignal.timeout(50_000) }));
  await Promise.all(children.map((child) => once(child, 'message')));
  for (const child of children) child.send(asking);
  const answers = await Promise.all(children.map((child) => once(child, 'message')));
  return answers.map(([asked]) => asked as Asked);
}

describe('a bucket', () => {
  test('holds a second’s worth, refuses the rest, and says when to come again', async () => {
    const key = newKey();
    const start = performance.now();
    const allowed = await takeTimes(200, key, 50);
    expect(allowed).toBeGreaterThanOrEqual(50);
    expect(allowed).toBeLessThanOrEqual(most(50, start));
    const one = newKey();
    expect(await bucket.take(one, 1)).toEqual({ allowed: true });
    expect(await bucket.take(one, 1)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    await sleep(1050);
    expect(await bucket.take(one, 1)).toEqual({ allowed: true });
  });

  test.each([
    [100, 2000],
    [2, 100],
  ])('of %i is one of %i as soon as that is said', async (before, after) => {
    const key = newKey();
    while ((await bucket.take(key, before)).allowed);
    await sleep(500);
    const start = performance.now();
    const allowed = await takeTimes(after, key, after);
    expect(allowed).toBeGreaterThanOrEqual(after / 4);
    expect(allowed).toBeLessThanOrEqual(most(after, start));
  });

  test('of a million a second is filled by the microsecond', async () => {
    const key = newKey();
    const inRedis = `tastegraph:test:${key}`;
    const read = async () =>
      String(await redis.get(inRedis))
        .split(' ')
        .map(Number) as [number, number];
    await redis.set(inRedis, `0 ${Date.now() * 1000}`);
    await bucket.take(key, 1_000_000);
    const [left, at] = await read();
    await bucket.take(key, 1_000_000);
    const [leftLater, atLater] = await read();
    expect(leftLater).toBeCloseTo(Math.min(1_000_000, left + atLater - at) - 1, 3);
  });

  test('is full after a clock was set back, and forgotten when it is full', async () => {
    const key = newKey();
    const inRedis = `tastegraph:test:${key}`;
    await redis.set(inRedis, '0 9999999999999999');
    expect(await bucket.take(key, 1)).toEqual({ allowed: true });
    expect(await redis.ttl(inRedis)).toBeLessThanOrEqual(2);
    await vi.waitUntil(async () => (await redis.exists(inRedis)) === 0, 10_000);
  });

  test('lets three processes through as often as one, and none much more often than another', async () => {
    const [key, perSecond, seconds] = [newKey(), 300, 10];
    const asking = { redisUrl: server.url, key, perSecond, asksPerSecond: (perSecond * 1.2) / 3, seconds };
    const all = await askFromProcesses(3, asking);
    const allowed = all.reduce((sum, one) => sum + one.allowed, 0);
    expect(allowed / (perSecond * seconds)).toBeGreaterThan(0.95);
    // Not as near to 1 as it is when the machine has time: each begins and ends in a moment of its own.
    expect(allowed / (perSecond * seconds)).toBeLessThan(1.05);
    for (const one of all) expect(one.allowed / allowed).toBeCloseTo(1 / 3, 1);
  });
});

describe('without Redis', () => {
  test('each process keeps the limit by itself', async () => {
    const alone = createTokenBucket(undefined, { name: 'test', onAlone: (isAlone) => said.push(isAlone) });
    const start = performance.now();
    const allowed = await takeTimes(500, 'key', 100, alone);
    expect(allowed).toBeGreaterThanOrEqual(100);
    expect(allowed).toBeLessThanOrEqual(most(100, start));
    expect(said).toEqual([false, false]);
  });

  test('when it hangs, one call waits for a moment; the rest, and the limit, go on', async () => {
    const key = newKey();
    await takeTimes(30, key, 100);
    process.kill(server.pid, 'SIGSTOP');
    try {
      const start = performance.now();
      expect(await bucket.take(key, 100)).toEqual({ allowed: true });
      expect(performance.now() - start).toBeGreaterThan(15);
      const went = performance.now();
      const allowed = await takeTimes(500, key, 100);
      // Had each waited, it would be ten seconds.
      expect(performance.now() - went).toBeLessThan(900);
      // It goes on with what was left in the shared one.
      expect(allowed).toBeLessThanOrEqual(most(100, start) - 20);
      expect(said).toEqual([false, true]);
      await sleep(1100);
      const again = performance.now();
      await takeTimes(20, newKey(), 100);
      expect(performance.now() - again).toBeLessThan(300);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await backTogether();
  });

  test('what is let through meanwhile is taken from the shared bucket afterwards', async () => {
    const key = newKey();
    const start = performance.now();
    await bucket.take(key, 100);
    process.kill(server.pid, 'SIGSTOP');
    try {
      expect(await takeTimes(60, key, 100)).toBe(60);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await backTogether();
    await bucket.take(key, 100);
    const [left] = String(await redis.get(`tastegraph:test:${key}`)).split(' ');
    expect(Number(left)).toBeLessThanOrEqual(most(100, start) - 60);
  });

  test('when it is killed and started again, every call is answered, and the limit is shared again', async () => {
    const key = newKey();
    const over = new AbortController();
    let asked = 0;
    const asking = (async () => {
      for (; !over.signal.aborted; asked++) {
        await bucket.take(key, 1000);
        await sleep(1);
      }
    })();
    await server.kill();
    await vi.waitUntil(() => said.at(-1) === true, 10_000);
    const before = asked;
    await sleep(300);
    expect(asked).toBeGreaterThan(before);
    await server.restart();
    await backTogether();
    over.abort();
    await asking;
    expect(said).toEqual([false, true, false]);
    expect(await redis.exists(`tastegraph:test:${key}`)).toBe(1);
  });

  /** It is calls that find out. */
  async function backTogether(): Promise<void> {
    await vi.waitUntil(
      async () => {
        await bucket.take('finds out', 100);
        return said.at(-1) === false;
      },
      { timeout: 15_000, interval: 5 },
    );
  }
});
