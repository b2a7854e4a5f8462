import { existsSync } from 'node:fs';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPortFree, type PrivateRedis, startRedis } from '../../src/index.ts';

const LIMIT_MS = 30_000;

function makeClient(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  // A killed server breaks the connection; the awaited call reports it.
  client.on('error', () => undefined);
  return client;
}

async function withClient<T>(
  url: string,
  work: (client: ReturnType<typeof makeClient>) => Promise<T>,
): Promise<T> {
  const client = makeClient(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

describe('Redis', () => {
  let redis: PrivateRedis;
  beforeAll(async () => {
    redis = await startRedis();
  }, LIMIT_MS);
  afterAll(() => redis.stop());

  it('responds, and requires the password', async () => {
    expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
    const withoutPassword = `redis://127.0.0.1:${redis.port}`;
    await expect(withClient(withoutPassword, (client) => client.ping())).rejects.toThrow(/NOAUTH/);
  });

  it('restarts empty on the same port after it was killed', async () => {
    const { pid, url } = redis;
    await withClient(url, (client) => client.set('word', 'gone'));
    await redis.kill();
    await expect(withClient(url, (client) => client.ping())).rejects.toThrow();
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await withClient(url, (client) => client.get('word'))).toBeNull();
  });

  it('leaves nothing behind when it stops', async () => {
    const { logFile, port } = redis;
    await redis.stop();
    expect(existsSync(logFile)).toBe(false);
    expect(await isPortFree(port)).toBe(true);
  });
});

describe('a failed start of Redis', () => {
  it('reports the log of Redis and what to do next', async () => {
    await using first = await startRedis();
    await expect(startRedis({ port: first.port })).rejects.toThrow(/in use[^]*Next: /);
  });
});
