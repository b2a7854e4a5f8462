import { totalmem } from 'node:os';
import { type PrivatePostgres, startPostgres, startRedis } from '@tastegraph/dev';
import pg from 'pg';
import { Service, type ServiceOptions } from './service.ts';

export interface Setting {
  readonly postgres: PrivatePostgres;
  readonly service: Service;
  /** A connection of the bench's own, past the service. */
  readonly admin: pg.Client;
}

/** As deploy/postgres/tastegraph.conf says for a PostgreSQL that is there for us; npm run dev takes less. */
const quarterOfMemoryMib = Math.floor(totalmem() / 4 / 2 ** 20);

/** A private PostgreSQL and Redis and one process on them, the api unless told otherwise,, for as long as `run` takes. */
export async function withSetting<T>(
  run: (setting: Setting) => Promise<T>,
  options: ServiceOptions = {},
): Promise<T> {
  await using postgres = await startPostgres({ settings: { shared_buffers: `${quarterOfMemoryMib}MB` } });
  await using redis = await startRedis({});
  await using service = await Service.start(postgres.url, redis.url, options);
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  try {
    return await run({ postgres, service, admin });
  } finally {
    await admin.end();
  }
}
