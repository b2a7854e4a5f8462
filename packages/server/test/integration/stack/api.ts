import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { inject } from 'vitest';
import { type Config, type Role, readConfig } from '../../../src/config.ts';
import { Closers } from '../../../src/kernel/lib/closers.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import { startAllInOne } from '../../../src/processes/all-in-one.ts';
import { openRuntime, type Runtime } from '../../../src/processes/run.ts';
import { Caller, newAccount } from './caller.ts';
import { cloneDatabase } from './database.ts';

export interface TestApi extends AsyncDisposable {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly db: Database;
  readonly config: Config;
  readonly store: ObjectStore;
  /** Reads or changes rows, bypassing the API. */
  readonly rows: <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  objectKeys(): Promise<string[]>;
  /** Creates an account with a key and returns a caller with that key. */
  newCaller(plan?: string): Promise<Caller>;
}

/** Starts all roles, or what `start` starts, in this process on a separate database. */
export async function startTestApi(
  settings: Record<string, string> = {},
  start: (runtime: Runtime) => Promise<string> = startAllInOne,
  role: Role = 'all-in-one',
): Promise<TestApi> {
  const database = await cloneDatabase();
  const closers = new Closers((name, error) => console.error(`${name} was not closed`, error));
  closers.add('clone', 30_000, database.drop);
  const objects = await mkdtemp(join(inject('folder'), 'objects-'));
  closers.add('objects', 10_000, () => rm(objects, { recursive: true }));
  const config = readConfig({
    DATABASE_URL: database.url,
    REDIS_URL: inject('redisUrl'),
    OBJECTS_URL: pathToFileURL(objects).href,
    PORT: '0',
    ...settings,
  });
  const stop = new AbortController();
  // LOG_LEVEL=error shows the cause of a response 500.
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const runtime = await openRuntime(config, log, closers, stop.signal, role);
  const { db } = runtime;
  const { store } = runtime;
  const baseUrl = await start(runtime);
  return {
    baseUrl,
    databaseUrl: database.url,
    config,
    db,
    store,
    rows: (text, values = []) => db.rows({ name: '', text }, values),
    objectKeys: async () => (await store.list('')).objects.map(({ key }) => key),
    newCaller: async (plan) => new Caller(baseUrl, await newAccount(db, config.cell, plan)),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await closers.closeAll();
    },
  };
}
