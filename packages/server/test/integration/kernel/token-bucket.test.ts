import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '@tastegraph/dev';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRedis, type Redis } from '../../../src/kernel/redis/client.ts';
import { createTokenBucket, type TokenBucket } from '../../../src/kernel/redis/token-bucket.ts';
import { whileHanging } from '../stack/breakable.ts';
import { perFile } from '../stack/stack.ts';
import type { Asked, Asking } from './bucket-process.ts';

// A separate Redis, since it is stopped and killed here.
const server = perFile(() => startRedis());
let redis: Redis;
let bucket: TokenBucket;
/** What the bucket reported: whether it limits alone. */
let said: boolean[];

beforeEach(async () => {
  redis = openRedis(server.url, () => undefined);
  await vi.waitUntil(() => redis.isReady, 10_000);
  said = [];
  bucket = createTokenBucket(redis, { ...perSecondOptions, onFallback: (isAlone) => said.push(isAlone) });
});
afterEach(() => redis.destroy());

const perSecondOptions = { name: 'test', seconds: 1, timeoutMs: 20 };

let keys = 0;
const newKey = () => `project-${++keys}`;

/** How many of `count` sequential takes are allowed. */
async function takeTimes(times: number, key: string, perSecond: number, from = bucket): Promise<number> {
  let allowed = 0;
  for (let n = 0; n < times; n++) if ((await from.take(key, perSecond)).allowed) allowed++;
  return allowed;
}

/** The most that a bucket allows: its capacity, and the refill since. */
const most = (perSecond: number, startMs: number) =>
  perSecond + ((performance.now() - startMs) / 1000) * perSecond;

/** From several processes at once. */
async function askFromProcesses(count: number, asking: Asking): Promise<Asked[]> {
  const file = resolve(import.meta.dirname, 'bucket-process.ts');
  const children = Array.from({ length: count }, () => fork(file, { signal: AbortSignal.timeout(50_000) }));
  await Promise.all(children.map((child) => once(child, 'message')));
  for (const child of children) child.send(asking);
  const answers = await Promise.all(children.map((child) => once(child, 'message')));
  return answers.map(([asked]) => asked as Asked);
}

describe('a bucket', () => {
  test("holds one second's worth, refuses the rest, and returns when to retry", async () => {
    const key = newKey();
    const start = performance.now();
    const allowed = await takeTimes(200, key, 50);
    expect(allowed).toBeGreaterThanOrEqual(50);
    expect(allowed).toBeLessThanOrEqual(most(50, start));
    const one = newKey();
    expect(await bucket.take(one, 1)).toMatchObject({ allowed: true });
    expect(await bucket.take(one, 1)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    await sleep(1050);
    expect(await bucket.take(one, 1)).toMatchObject({ allowed: true });
  });

  test('of one minute refills within a minute, and a check takes nothing', async () => {
    const slow = createTokenBucket(redis, { name: 'slow', seconds: 60, timeoutMs: 20 });
    const key = newKey();
    for (let n = 0; n < 5; n++) expect(await slow.check(key, 2)).toEqual({ allowed: true, limit: 2 });
    expect(await takeTimes(10, key, 2, slow)).toBe(2);
    const refused = await slow.check(key, 2);
    expect(refused).toMatchObject({ allowed: false });
    expect(!refused.allowed && refused.retryAfterSeconds).toBeGreaterThan(25);
    // Another process gets the limit from Redis.
    const other = createTokenBucket(redis, { name: 'slow', seconds: 60, timeoutMs: 20 });
    expect(await other.check(key, 2)).toMatchObject({ allowed: false });
    expect(await redis.ttl(`tastegraph:{slow}:${key}`)).toBeGreaterThan(100);
  });

  test.each([
    [100, 2000],
    [2, 100],
  ])('of %i becomes one of %i as soon as that is set as current', async (before, after) => {
    const key = newKey();
    while ((await bucket.take(key, before)).allowed);
    await sleep(500);
    const start = performance.now();
    const { allowed: first } = await bucket.take(key, after, { isCurrent: true });
    const allowed = Number(first) + (await takeTimes(after - 1, key, after));
    expect(allowed).toBeGreaterThanOrEqual(after / 4);
    expect(allowed).toBeLessThanOrEqual(most(after, start));
  });

  test('whose limit was lowered is capped to it, also for processes that know only the old limit', async () => {
    const key = newKey();
    const other = createTokenBucket(redis, { ...perSecondOptions, onFallback: () => undefined });
    await other.take(key, 1000);
    await bucket.take(key, 1000);
    const start = performance.now();
    expect(await bucket.take(key, 3, { isCurrent: true })).toEqual({ allowed: true, limit: 3 });
    expect(await other.take(key, 1000)).toMatchObject({ limit: 3 });
    const allowed = 2 + (await takeTimes(50, key, 1000)) + (await takeTimes(50, key, 1000, other));
    expect(allowed).toBeGreaterThanOrEqual(3);
    expect(allowed).toBeLessThanOrEqual(most(3, start));
    // A higher limit adds the difference.
    await bucket.take(key, 500, { isCurrent: true });
    expect(await takeTimes(400, key, 3)).toBe(400);
    expect(await other.take(key, 500, { isCurrent: true })).toEqual({ allowed: true, limit: 500 });
  });

  test('of a million per second refills by the microsecond', async () => {
    const key = newKey();
    const inRedis = `tastegraph:{test}:${key}`;
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

  test('is full after the clock was set back, and is deleted when full', async () => {
    const key = newKey();
    const inRedis = `tastegraph:{test}:${key}`;
    await redis.set(inRedis, '0 9999999999999999');
    expect(await bucket.take(key, 1)).toMatchObject({ allowed: true });
    expect(await redis.ttl(inRedis)).toBeLessThanOrEqual(2);
    await vi.waitUntil(async () => (await redis.exists(inRedis)) === 0, 10_000);
  });

  test.each([0, 100])(
    'allows three processes together as much as one, in nearly equal shares, if they reserve for %i ms',
    async (reserveMs) => {
      const [key, perSecond, seconds] = [newKey(), 300, 10];
      const asksPerSecond = (perSecond * 1.2) / 3;
      const asking = { redisUrl: server.url, key, perSecond, asksPerSecond, seconds, reserveMs };
      const all = await askFromProcesses(3, asking);
      const allowed = all.reduce((sum, one) => sum + one.allowed, 0);
      // Within 5 % on an idle machine. On a busy one, the processes do not start and end at the same moment.
      expect(allowed / (perSecond * seconds)).toBeGreaterThan(0.8);
      expect(allowed / (perSecond * seconds)).toBeLessThan(1.2);
      for (const one of all) expect(one.allowed / allowed).toBeCloseTo(1 / 3, 1);
    },
  );
});

describe('buckets', () => {
  /** How often a script was run. */
  const scriptCalls = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);

  test('that are asked at the same moment share a request, and each has its own limit', async () => {
    const patient = createTokenBucket(redis, { ...perSecondOptions, timeoutMs: 5000 });
    await patient.take(newKey(), 1);
    const limits = Array.from({ length: 60 }, (_, n) => n + 1);
    const asked = limits.map((limit) => ({ limit, key: newKey() }));
    const before = await scriptCalls();
    const results = await Promise.all(asked.map(({ key, limit }) => patient.take(key, limit)));
    expect(results).toEqual(limits.map((limit) => ({ allowed: true, limit })));
    expect((await scriptCalls()) - before).toBeLessThan(5);
    for (const { key, limit } of asked.slice(0, 3)) {
      const [left] = String(await redis.get(`tastegraph:{test}:${key}`)).split(' ');
      expect(Number(left)).toBe(limit - 1);
    }
  });
});

test('buckets of one name are in one slot of a Redis Cluster, so that a script may take from several', async () => {
  await using cluster = await startRedis({ isCluster: true });
  const client = openRedis(cluster.url, () => undefined);
  onTestFinished(() => client.destroy());
  await vi.waitUntil(() => client.isReady, 10_000);
  await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
  const state = async () => JSON.stringify(await client.sendCommand(['CLUSTER', 'INFO']));
  await vi.waitUntil(async () => (await state()).includes('cluster_state:ok'), 10_000);
  const alone: boolean[] = [];
  const onFallback = (isAlone: boolean) => alone.push(isAlone);
  const clustered = createTokenBucket(client, { ...perSecondOptions, timeoutMs: 5000, onFallback });
  const asked = Array.from({ length: 20 }, newKey);
  await Promise.all(asked.map((key) => clustered.take(key, 2)));
  expect(alone).toEqual([false]);
  expect(await client.exists(asked.map((key) => `tastegraph:{test}:${key}`))).toBe(asked.length);
});

describe('a bucket that reserves', () => {
  /** So slow to refill that its level tells exactly what was taken. */
  const slow = { name: 'slow', seconds: 100_000, timeoutMs: 500, reserveMs: 1000 };
  const limit = 1000;
  /** Tokens that are missing in Redis. */
  const missing = async (key: string) =>
    Math.round(limit - Number(String(await redis.get(`tastegraph:{slow}:${key}`)).split(' ')[0]));

  test('asks Redis for a few of its calls, and gives back what it did not use', async () => {
    const key = newKey();
    const reserving = createTokenBucket(redis, slow);
    let asked = 0;
    let [calls, before] = [0, 0];
    // Ends when tokens are reserved for calls that will not come.
    while (calls < 60 || (await missing(key)) < calls + 5) {
      expect(await reserving.take(key, limit)).toEqual({ allowed: true, limit });
      calls++;
      const now = await missing(key);
      if (now !== before) asked++;
      before = now;
    }
    expect(asked).toBeLessThan(calls / 3);
    await sleep(3000);
    await reserving.take(key, limit);
    // It expects a third as many calls as before.
    expect(await missing(key)).toBeLessThan(calls + 1 + 5);
  });

  test('counts every call of the second half of a bucket', async () => {
    const key = newKey();
    const [reserving, other] = [createTokenBucket(redis, slow), createTokenBucket(redis, slow)];
    expect(await takeTimes(limit / 2, key, limit, reserving)).toBe(limit / 2);
    expect(await missing(key)).toBeLessThanOrEqual(limit / 2);
    await takeTimes(20, key, limit, reserving);
    expect(await missing(key)).toBe(limit / 2 + 20);
    expect(await takeTimes(limit, key, limit, other)).toBe(limit / 2 - 20);
    expect(await takeTimes(1, key, limit, reserving)).toBe(0);
  });

  test('reserves no more than a twentieth of a lowered limit that it does not know yet', async () => {
    const key = newKey();
    const [reserving, other] = [createTokenBucket(redis, slow), createTokenBucket(redis, slow)];
    await takeTimes(100, key, limit, reserving);
    await other.take(key, 10, { isCurrent: true });
    // Until it asks Redis, which knows the lower limit.
    while ((await reserving.take(key, limit)).limit !== 10);
    // Two tokens were taken. What it gives back is at most a twentieth of the limit, too: none.
    expect(limit - (await missing(key))).toBe(8);
  });

  test('refuses by a lowered limit although it has reserved tokens', async () => {
    const key = newKey();
    const reserving = createTokenBucket(redis, slow);
    await takeTimes(100, key, limit, reserving);
    expect(await reserving.take(key, 2, { isCurrent: true })).toEqual({ allowed: true, limit: 2 });
    expect(await takeTimes(10, key, limit, reserving)).toBe(1);
  });
});

describe('without Redis', () => {
  test('each process applies the limit alone', async () => {
    const onFallback = (isAlone: boolean) => said.push(isAlone);
    const alone = createTokenBucket(undefined, { ...perSecondOptions, onFallback });
    const start = performance.now();
    const allowed = await takeTimes(500, 'key', 100, alone);
    expect(allowed).toBeGreaterThanOrEqual(100);
    expect(allowed).toBeLessThanOrEqual(most(100, start));
    expect(said).toEqual([false, false]);
  });

  test('a lowered limit applies at once', async () => {
    const alone = createTokenBucket(undefined, { ...perSecondOptions, onFallback: () => undefined });
    await takeTimes(10, 'key', 100, alone);
    const start = performance.now();
    expect(await alone.take('key', 3, { isCurrent: true })).toEqual({ allowed: true, limit: 3 });
    const allowed = 1 + (await takeTimes(50, 'key', 100, alone));
    expect(allowed).toBeGreaterThanOrEqual(3);
    expect(allowed).toBeLessThanOrEqual(most(3, start));
  });

  test('when it hangs, one call waits for the timeout; other calls and the limit are unaffected', async () => {
    const key = newKey();
    await takeTimes(30, key, 100);
    await whileHanging(server, async () => {
      const start = performance.now();
      expect(await bucket.take(key, 100)).toMatchObject({ allowed: true });
      expect(performance.now() - start).toBeGreaterThan(15);
      const went = performance.now();
      const allowed = await takeTimes(500, key, 100);
      // If each call had waited, this would take ten seconds.
      expect(performance.now() - went).toBeLessThan(5000);
      // Continues from the level of the shared bucket.
      expect(allowed).toBeLessThanOrEqual(most(100, start) - 20);
      expect(said).toEqual([false, true]);
    });
    await backTogether();
  });

  test('what is allowed meanwhile is deducted from the shared bucket afterwards', async () => {
    const key = newKey();
    const start = performance.now();
    await bucket.take(key, 100);
    await whileHanging(server, async () => expect(await takeTimes(60, key, 100)).toBe(60));
    await backTogether();
    await bucket.take(key, 100);
    const [left] = String(await redis.get(`tastegraph:{test}:${key}`)).split(' ');
    expect(Number(left)).toBeLessThanOrEqual(most(100, start) - 60);
  });

  test('when it is killed and restarted, every call is answered, and the limit is shared again', async () => {
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
    expect(said.slice(0, 3)).toEqual([false, true, false]);
    // A call soon after the restart may have waited too long once more.
    await backTogether();
    expect(await redis.exists(`tastegraph:{test}:${key}`)).toBe(1);
  });

  /** Calls detect it. */
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
