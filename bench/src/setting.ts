import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PrivatePostgres, startPostgres, startRedis } from '@tastegraph/dev';
import pg from 'pg';
import { type Role, Service } from './service.ts';

export interface Setting {
  readonly postgres: PrivatePostgres;
  readonly service: Service;
  /** A connection of the bench's own, past the service. */
  readonly admin: pg.Client;
}

/** As deploy/postgres/tastegraph.conf says for a PostgreSQL that is there for us; npm run dev takes less. */
const quarterOfMemoryMib = Math.floor(totalmem() / 4 / 2 ** 20);

/** A private PostgreSQL and Redis and one process on them, the api unless told otherwise, for as long as `run` takes. */
export async function withSetting<T>(run: (setting: Setting) => Promise<T>, role: Role = 'api'): Promise<T> {
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
    return await run({ postgres, service, admin });
  } finally {
    await admin.end();
  }
}
