import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  type PrivatePostgres,
  type PrivateStandby,
  startPostgres,
  startRedis,
  startStandby,
} from '@tastegraph/dev';
import pg from 'pg';
import { type Prepared, prepareShop } from '../serve/prepare.ts';
import { Service } from '../service.ts';
import { type PrimaryAddress, startPrimaryAddress } from './primary-address.ts';

const shop = { users: 1000, items: 800, events: 8000 };
const standbyName = 'second';
const settings = { shared_buffers: '256MB' };
/** Enough to catch up on a busy machine. */
const synchronousMs = 60_000;

/** A cell of which the primary can be lost: it has a synchronous standby, and one process per role. */
export interface LossCell extends AsyncDisposable {
  readonly primary: PrivatePostgres;
  readonly standby: PrivateStandby;
  readonly address: PrimaryAddress;
  readonly api: Service;
  readonly serving: Service;
  readonly prepared: Prepared;
}

export async function startCell(): Promise<LossCell> {
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await startPostgres({ settings }));
  const standby = stack.use(await startStandby(primary, standbyName, { settings }));
  await makeSynchronous(primary.url);
  const address = stack.use(await startPrimaryAddress(primary.url));
  const redis = stack.use(await startRedis({}));
  const objects = stack.use(await mkdtempDisposable(join(tmpdir(), 'tastegraph-bench-')));
  const api = stack.use(
    await Service.start('api', {
      DATABASE_URL: address.url,
      REDIS_URL: redis.url,
      OBJECTS_URL: pathToFileURL(objects.path).href,
      TRAINING_THREADS: '1',
    }),
  );
  const serving = stack.use(
    await api.startAnother('serving', {
      DATABASE_READ_URL: standby.url,
      // Measures what a loss costs, not how fast a busy machine is.
      SERVING_DEADLINE_MS: '2000',
    }),
  );
  stack.use(api.startWorker());
  const prepared = await withClient(primary.url, (admin) => prepareShop(api, admin, shop));
  const owned = stack.move();
  return {
    primary,
    standby,
    address,
    api,
    serving,
    prepared,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export async function withClient<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** From now on, a COMMIT waits for the standby, so that a failover loses nothing. */
async function makeSynchronous(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`);
    await client.query('SELECT pg_reload_conf()');
    for (const end = performance.now() + synchronousMs; performance.now() < end; ) {
      const { rowCount } = await client.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
      if (rowCount === 1) return;
      await sleep(100);
    }
    throw new Error('the standby did not become synchronous');
  });
}
