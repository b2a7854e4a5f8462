import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PrivatePostgres, startPostgres, startRedis } from '@tastegraph/dev';
import { memoryLimit } from '@tastegraph/server/memory';
import pg from 'pg';
import { type Role, Service } from './service.ts';

export interface BenchEnvironment {
  readonly postgres: PrivatePostgres;
  readonly service: Service;
  /** A direct connection to the database. */
  readonly admin: pg.Client;
  /** The folder of the object store. */
  readonly objectsFolder: string;
}

/** What deploy/postgres/tastegraph.conf recommends for a dedicated server. `npm run dev` uses less. */
const quarterOfMemoryMib = Math.floor(memoryLimit() / 4 / 2 ** 20);

/** Starts a private PostgreSQL, a private Redis and one server process, calls `run`, and stops them. */
export async function withEnvironment<T>(
  run: (environment: BenchEnvironment) => Promise<T>,
  role: Role = 'api',
): Promise<T> {
  await using postgres = await startPostgres({ settings: { shared_buffers: `${quarterOfMemoryMib}MB` } });
  await using redis = await startRedis({});
  await using objects = await mkdtempDisposable(join(tmpdir(), 'tastegraph-bench-'));
  await using service = await Service.start(role, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    OBJECTS_URL: pathToFileURL(objects.path).href,
  });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  try {
    return await run({ postgres, service, admin, objectsFolder: objects.path });
  } finally {
    await admin.end();
  }
}
