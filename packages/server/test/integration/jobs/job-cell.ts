import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readConfig } from '../../../src/config.ts';
import type { ObjectsSettings } from '../../../src/kernel/objects/open.ts';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { type ServerProcess, startServer } from '../stack/server-process.ts';
import { keepHistory } from './job-history.ts';

/** A real cell whose parts a test can kill, stop and cut off: an API and workers, each a process. */
export interface JobCell extends AsyncDisposable {
  readonly databaseUrl: string;
  /** For queries that only PostgreSQL can answer. */
  readonly sql: pg.Pool;
  readonly objects: ObjectsSettings;
  /** Caller of a new account. */
  newCaller(): Promise<Caller>;
  /** Ends with the cell, unless the test ends it. */
  startWorker(env?: Environment): Promise<ServerProcess>;
}

type Environment = Readonly<Record<string, string>>;

export interface JobCellOptions {
  /** A migrated database; if absent, a new clone. */
  readonly databaseUrl?: string;
  readonly env?: Environment;
}

/**
 * A worker counts as dead after five missed heartbeats, 2.5 s: long enough to avoid mistakes on a machine with a load
 * of ten, short enough for a test to wait.
 */
const quick = { JOB_HEARTBEAT_SECONDS: '0.5', JOB_RETRY_SECONDS: '0.1', TRAINING_THREADS: '1' };

export async function startJobCell(options: JobCellOptions = {}): Promise<JobCell> {
  const cell = new AsyncDisposableStack();
  try {
    return await openCell(options, cell);
  } catch (error) {
    await cell.disposeAsync();
    throw error;
  }
}

async function openCell({ databaseUrl, env = {} }: JobCellOptions, cell: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  cell.defer(() => rm(folder, { recursive: true }));
  const url = databaseUrl ?? (await cloned(cell));
  const sql = new pg.Pool({ connectionString: url, max: 4, application_name: 'test' });
  // A test may stop PostgreSQL: the pool replaces a connection that breaks while idle.
  sql.on('error', () => undefined);
  cell.defer(() => sql.end());
  await keepHistory(sql);
  const settings = { DATABASE_URL: url, OBJECTS_URL: pathToFileURL(folder).href, ...quick, ...env };
  const { objects } = readConfig(settings);
  if (!objects) throw new Error('a cell has an object store');
  const api = cell.use(await startServer('api', { LOG_LEVEL: 'warn', ...settings }));
  return {
    databaseUrl: url,
    sql,
    objects,
    newCaller: async () => new Caller(api.baseUrl, await makeCredentials(url)),
    startWorker: async (own: Environment = {}) =>
      cell.use(await startServer('worker', { ...settings, ...own })),
    [Symbol.asyncDispose]: () => cell.disposeAsync(),
  };
}

async function cloned(cell: AsyncDisposableStack): Promise<string> {
  const database = await cloneDatabase();
  cell.defer(database.drop);
  return database.url;
}
