import { type PrivateRedis, startRedis } from '@tastegraph/dev';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCredentials } from './api-fleet.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';
import type { Credentials } from './caller.ts';
import { cloneDatabase } from './database.ts';

const byKey = 300;
const byAddress = 600;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
// Its own: the limits by address would otherwise stop the tests of other files, which call from the same one.
let redis: PrivateRedis;
let apis: ApiProcess[];

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  const options = { databaseUrl: database.url, redisUrl: redis.url, env: { TRUST_PROXY: '127.0.0.1' } };
  apis = await Promise.all([startApiProcess(options), startApiProcess(options)]);
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api[Symbol.asyncDispose]()));
  await redis.stop();
  await database.drop();
});

interface Refused {
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly code: string | undefined;
}

let addresses = 0;
/** Each test calls from an address of its own; the processes believe the proxy that they are told of. */
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

/** Asks so many times, a few at a time, and counts the answers by status. */
async function askTimes(
  times: number,
  one: (n: number) => Promise<Refused>,
): Promise<Record<number, number>> {
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
  test(`of a key are ${byKey} a minute, over all processes and addresses`, async () => {
    const credentials = await makeCredentials(database.url);
    expect(await askTimes(byKey, (n) => ask(n % 2, credentials, newAddress()))).toEqual({ 200: byKey });
    for (const api of [0, 1]) {
      const refused = await ask(api, credentials, newAddress());
      expect(refused).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
      expect(Number.isInteger(refused.retryAfter)).toBe(true);
      expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
      expect(refused.retryAfter).toBeLessThanOrEqual(60);
    }
    // Another key is not held up by it.
    expect(await ask(0, await makeCredentials(database.url), newAddress())).toMatchObject({ status: 200 });
  });

  test('with a wrong secret do not use up what the owner of the key may ask', async () => {
    const credentials = await makeCredentials(database.url);
    const guess = { ...credentials, apiSecret: 'guessed' };
    expect(await askTimes(byKey, (n) => ask(n % 2, guess, newAddress()))).toEqual({ 401: byKey });
    expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 200 });
  });

  test(`from an address are ${byAddress} a minute, over all processes, whoever it claims to be`, async () => {
    const address = newAddress();
    const nobody = (n: number) => ({
      accountId: '',
      apiKey: `tg_main_${String(n).padStart(24, '0')}`,
      apiSecret: 'x',
    });
    expect(await askTimes(byAddress, (n) => ask(n % 2, nobody(n), address))).toEqual({ 401: byAddress });
    const credentials = await makeCredentials(database.url);
    for (const api of [0, 1]) {
      expect(await ask(api, credentials, address)).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
    }
    expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 200 });
  });

  test('are answered all the same while Redis hangs', async () => {
    const credentials = await makeCredentials(database.url);
    process.kill(redis.pid, 'SIGSTOP');
    try {
      const start = performance.now();
      expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 200 });
      expect(performance.now() - start).toBeLessThan(5000);
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
  });

  test('are answered, and limited by each process alone, while Redis is gone', async () => {
    const credentials = await makeCredentials(database.url);
    await redis.kill();
    expect(await askTimes(byKey, () => ask(0, credentials, newAddress()))).toEqual({ 200: byKey });
    expect(await ask(0, credentials, newAddress())).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
    // The other process has not seen any of them.
    expect(await ask(1, credentials, newAddress())).toMatchObject({ status: 200 });
  });
});
