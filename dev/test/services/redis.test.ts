import { existsSync } from 'node:fs';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPortFree, type PrivateRedis, startRedis } from '../../src/index.ts';

const LIMIT_MS = 30_000;

function makeClient(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  // A server that is killed breaks the connection; the awaited call is what reports it.
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

  it('answers, and lets nobody in without the password', async () => {
    expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
    const withoutPassword = `redis://127.0.0.1:${redis.port}`;
    await expect(withClient(withoutPassword, (client) => client.ping())).rejects.toThrow(/NOAUTH/);
  });

  it('starts again on its port after it was killed, empty', async () => {
    const { pid, url } = redis;
    await withClient(url, (client) => client.set('word', 'gone'));
    await redis.kill();
    await expect(withClient(url, (client) => client.ping())).rejects.toThrow();
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await withClient(url, (client) => client.get('word'))).toBeNull();
  });

  it('leaves nothing when it stops', async () => {
    const { logFile, port } = redis;
    await redis.stop();
    expect(existsSync(logFile)).toBe(false);
    expect(await isPortFree(port)).toBe(true);
  });
});

describe('a start of Redis that fails', () => {
  it('says what Redis said and what to do', async () => {
    await using first = await startRedis();
    await expect(startRedis({ port: first.port })).rejects.toThrow(
      /ended while it started[^]*in use[^]*Next: /,
    );
  });
});
