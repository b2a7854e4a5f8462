import { pino } from 'pino';
import { inject } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createAccount } from '../../src/domain/account/create-account.ts';
import { createKey } from '../../src/domain/account/create-key.ts';
import { Closers } from '../../src/lib/closers.ts';
import { startApi } from '../../src/processes/api.ts';
import { startWorker } from '../../src/processes/worker.ts';
import { type Database, openDatabase } from '../../src/storage/postgres/pool.ts';
import { openRedis } from '../../src/storage/redis/client.ts';
import { Caller } from './caller.ts';
import { cloneDatabase } from './database.ts';

export interface TestApi extends AsyncDisposable {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly db: Database;
  /** A new account with a key, and one who calls with it. */
  newCaller(plan?: string): Promise<Caller>;
}

/** The api and the worker in this process, on a database of their own. */
export async function startTestApi(): Promise<TestApi> {
  const database = await cloneDatabase();
  const config = readConfig({ DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), PORT: '0' });
  const log = pino({ level: 'silent' });
  const closers = new Closers((name, error) => console.error(`${name} was not closed`, error));
  closers.add('clone', 30_000, database.drop);
  const db = openDatabase({ url: database.url, poolSize: 16, onIdleError: () => undefined });
  closers.add('database', 10_000, () => db.close());
  const redis = openRedis(inject('redisUrl'), () => undefined);
  closers.add('redis', 2000, async () => redis.destroy());
  const stop = new AbortController();
  const runtime = { config, log, db, redis, closers, stopping: stop.signal };
  await startWorker(runtime);
  const baseUrl = await startApi(runtime);
  return {
    baseUrl,
    databaseUrl: database.url,
    db,
    async newCaller(plan = 'default') {
      const { account_id } = await createAccount(db, 'test', plan);
      const { api_key, api_secret } = await createKey(db, config.cell, account_id, null);
      return new Caller(baseUrl, { accountId: account_id, apiKey: api_key, apiSecret: api_secret });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await closers.closeAll();
    },
  };
}
