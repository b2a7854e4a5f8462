import { once } from 'node:events';
import { createServer } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isUnavailable } from '../../src/kernel/postgres/pool.ts';

test.each(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])(
  'a server that cannot be reached (%s) is unavailable',
  (code) => {
    expect(isUnavailable(Object.assign(new Error('connect'), { code }))).toBe(true);
  },
);

test('a server that accepts connections and never answers is unavailable', async () => {
  await using silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const client = new pg.Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 });
  const error: unknown = await client.connect().catch((reason: unknown) => reason);
  expect(isUnavailable(error)).toBe(true);
});
