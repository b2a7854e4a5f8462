import { startRedis } from '@tastegraph/dev';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiProcess, startApiProcess } from '../stack/api-process.ts';
import { whileHanging } from '../stack/breakable.ts';
import { type Credentials, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { perFile } from '../stack/stack.ts';

const byKey = 300;
const byAddress = 600;
const byPair = 20;

const database = perFile(() => cloneDatabase());
// A separate Redis: limits per address would otherwise affect other test files, which call from the same address.
const redis = perFile(() => startRedis());
let apis: ApiProcess[];

beforeAll(async () => {
  const options = { databaseUrl: database.url, redisUrl: redis.url, env: { TRUST_PROXY: '127.0.0.1' } };
  apis = await Promise.all([startApiProcess(options), startApiProcess(options)]);
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api[Symbol.asyncDispose]()));
});

interface Refused {
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly code: string | undefined;
}

let addresses = 0;
/** Each test uses a different address, which the processes read from X-Forwarded-For of the trusted proxy. */
const newAddress = () => `203.0.${++addresses >> 8}.${addresses & 255}`;

async function ask(api: number, { apiKey, apiSecret }: Credentials, address: string): Promise<Refused> {
  const response = await fetch(`${apis[api]?.baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams({ client_id: apiKey, client_secret: apiSecret, scope: '/get-job' }),
  });
  const { code } = (await response.json()) as { code?: string };
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter: retryAfter === null ? undefined : Number(retryAfter), code };
}

/** Sends requests until one is refused. Returns the earlier responses and the refusal. The bucket refills meanwhile. */
async function askUntilRefused(one: (n: number) => Promise<Refused>) {
  for (let asked = 0; ; asked++) {
    const last = await one(asked);
    if (last.status === 429) return { asked, last };
  }
}

/** The most requests that a bucket which was full at `startMs` can have allowed by now. */
const atMost = (perMinute: number, startMs: number) =>
  perMinute + Math.ceil(((performance.now() - startMs) / 60_000) * perMinute);

/** Sends the given number of requests, a few concurrently, and counts the responses by status. */
async function askTimes(times: number, one: (n: number) => Promise<Refused>) {
  const counts: Record<number, number> = {};
  let asked = 0;
  const asker = async () => {
    while (asked < times) {
      const { status } = await one(asked++);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, asker));
  return counts;
}

describe('token requests', () => {
  test(`of a key are limited to ${byKey} per minute over all processes and addresses`, async () => {
    const credentials = await makeCredentials(database.url);
    const start = performance.now();
    expect(await askTimes(byKey, (n) => ask(n % 2, credentials, newAddress()))).toEqual({ 200: byKey });
    const { asked, last } = await askUntilRefused((n) => ask(n % 2, credentials, newAddress()));
    expect(byKey + asked).toBeLessThanOrEqual(atMost(byKey, start));
    expect(last).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
    expect(Number.isInteger(last.retryAfter)).toBe(true);
    expect(last.retryAfter).toBeGreaterThanOrEqual(1);
    expect(last.retryAfter).toBeLessThanOrEqual(60);
    // Another key is not affected.
    expect(await ask(0, await makeCredentials(database.url), newAddress())).toMatchObject({ status: 200 });
  });

  test("with a wrong secret do not use up the limit of the key's owner", async () => {
    const credentials = await makeCredentials(database.url);
    const guess = { ...credentials, apiSecret: 'guessed' };
    expect(await askTimes(byKey, (n) => ask(n % 2, guess, newAddress()))).toEqual({ 401: byKey });
    expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 200 });
  });

  test(`with a wrong secret are limited to ${byPair} per minute and pair of key and address`, async () => {
    const address = newAddress();
    const credentials = await makeCredentials(database.url);
    const guess = { ...credentials, apiSecret: 'guessed' };
    const start = performance.now();
    const { asked, last } = await askUntilRefused((n) => ask(n % 2, guess, address));
    expect(asked).toBeGreaterThanOrEqual(byPair);
    expect(asked).toBeLessThanOrEqual(atMost(byPair, start));
    expect(last).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(last.retryAfter).toBeGreaterThanOrEqual(1);
    // One failure per 3 s is allowed again. The right secret is also refused until then, by both processes.
    for (const api of [0, 1]) {
      await askUntilRefused(() => ask(api, guess, address));
      expect(await ask(1 - api, credentials, address)).toMatchObject({ status: 429 });
    }
    expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 200 });
    expect(await ask(0, await makeCredentials(database.url), address)).toMatchObject({ status: 200 });
  });

  test(`that fail are limited to ${byAddress} per minute and address, and the right secret still works`, async () => {
    const address = newAddress();
    const nobody = (n: number) => ({
      accountId: '',
      apiKey: `tg_main_${String(n).padStart(24, '0')}`,
      apiSecret: 'x',
    });
    const start = performance.now();
    expect(await askTimes(byAddress, (n) => ask(n % 2, nobody(n), address))).toEqual({ 401: byAddress });
    for (const api of [0, 1]) {
      const { asked, last } = await askUntilRefused((n) =>
        ask(api, nobody(byAddress + api * 1000 + n), address),
      );
      expect(byAddress + asked).toBeLessThanOrEqual(atMost(byAddress, start));
      expect(last).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      expect(await ask(api, await makeCredentials(database.url), address)).toMatchObject({ status: 200 });
    }
  });

  test('are answered while Redis hangs', async () => {
    const credentials = await makeCredentials(database.url);
    await whileHanging(redis, async () =>
      expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 200 }),
    );
  });

  test('are answered, and limited per process, while Redis is gone', async () => {
    const credentials = await makeCredentials(database.url);
    await redis.kill();
    const start = performance.now();
    expect(await askTimes(byKey, () => ask(0, credentials, newAddress()))).toEqual({ 200: byKey });
    const { asked } = await askUntilRefused(() => ask(0, credentials, newAddress()));
    expect(byKey + asked).toBeLessThanOrEqual(atMost(byKey, start));
    // The other process has counted none of them.
    expect(await ask(1, credentials, newAddress())).toMatchObject({ status: 200 });
  });
});
