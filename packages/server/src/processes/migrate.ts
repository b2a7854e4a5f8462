import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobTypes } from '@tastegraph/contract';
import pg from 'pg';
import { buildIndexes } from '../kernel/postgres/build-indexes.ts';
import { findMissingQueue, migrateQueues } from '../kernel/postgres/queue.ts';

const directory = new URL('../../migrations/', import.meta.url);
/** An arbitrary constant: concurrent migrations of one database wait for each other. */
const migrationLock = 7_239_104_477n;

/** The longest that calls queue behind a migration that waits for a lock: far less than their own timeouts. */
const lockTimeoutMs = 2000;
/** Time for the queued calls to finish. */
const pauseMs = 3000;
const maxWaitMs = 10 * 60_000;
/** Nobody notices a second more: the other migration may take hours. */
const askAgainMs = 1000;
/** lock_not_available and deadlock_detected: a call that holds a table of the migration wants another one that it has locked. */
const retried: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/** What is wrong with the schema, in words for the operator. */
class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Older releases cannot work with the schema after it. Set by a first line `-- breaking`. */
  readonly breaking: boolean;
  /** It creates indexes only, while rows are written. Set by a first line `-- concurrently`. */
  readonly concurrent: boolean;
}

function readMigrations(from = directory): Migration[] {
  return readdirSync(from)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, from), 'utf8');
      return {
        version: Number.parseInt(name, 10),
        name,
        sql,
        breaking: sql.startsWith('-- breaking'),
        concurrent: sql.startsWith('-- concurrently'),
      };
    });
}

/** Applies pending migrations of a folder, each in its own transaction unless concurrent, then the queue's. Returns their names. */
export async function migrate(url: string, migrations = directory): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'tastegraph migrate' });
  // Without a listener, a lost connection would end the process. The query in progress is rejected anyway.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeLock(client);
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY, name text NOT NULL, breaking boolean NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now())`);
    const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_migrations');
    const applied = new Set(rows.map((row) => row.version));
    const pending = readMigrations(migrations).filter((migration) => !applied.has(migration.version));
    for (const migration of pending) await apply(client, migration);
    await migrateQueues(url, jobTypes);
    return pending.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

/** Polls: a statement that waits holds a snapshot, and an index that the other migration builds would wait for that forever. */
async function takeLock(client: pg.Client): Promise<void> {
  const isTaken = async () => {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${migrationLock}) AS taken`,
    );
    return rows[0]?.taken;
  };
  while (!(await isTaken())) await sleep(askAgainMs);
}

/** A migration that waits for a lock, such as of a dump, blocks every call that needs the table: it gives up early and retries. */
async function retry(
  client: pg.Client,
  migration: Migration,
  step: () => Promise<unknown>,
  waitMs = lockTimeoutMs,
): Promise<void> {
  const longestMs = Math.max(waitMs, maxWaitMs);
  for (const end = performance.now() + longestMs; ; ) {
    try {
      await client.query(`SET lock_timeout = ${waitMs}`);
      await step();
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (!retried.has(error.code))
        throw new SchemaError(
          `Migration ${migration.name} failed${migration.concurrent ? '' : ' and was rolled back'}: ${error.message}. Earlier ones are kept; run "migrate" again once the cause is gone.`,
          { cause: error },
        );
      if (performance.now() > end)
        throw new SchemaError(
          `Migration ${migration.name} could not lock its tables for ${longestMs / 60_000} minutes. ` +
            'Find the transaction that holds them in pg_stat_activity (the oldest xact_start), end it, and run "migrate" again.',
          { cause: error },
        );
      await client.query('ROLLBACK');
      await sleep(pauseMs);
    }
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (migration.concurrent)
    await buildIndexes(client, migration.sql, (step, waitMs) => retry(client, migration, step, waitMs));
  await retry(client, migration, () => applyAtOnce(client, migration));
}

async function applyAtOnce(
  client: pg.Client,
  { version, name, breaking, concurrent, sql }: Migration,
): Promise<void> {
  await client.query('BEGIN');
  if (!concurrent) await client.query(sql);
  await client.query('INSERT INTO schema_migrations (version, name, breaking) VALUES ($1, $2, $3)', [
    version,
    name,
    breaking,
  ]);
  await client.query('COMMIT');
}

/**
 * Throws if one of our migrations or queues is missing, or the database has a breaking migration that we do not know. A newer
 * schema without breaking changes is fine, so that a fleet can be upgraded one process at a time.
 */
export async function checkSchema(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ found: boolean }>(
      "SELECT to_regclass('schema_migrations') IS NOT NULL AS found",
    );
    const rows = tables[0]?.found
      ? (
          await client.query<{ version: number; breaking: boolean; name: string }>(
            'SELECT * FROM schema_migrations',
          )
        ).rows
      : [];
    const applied = new Set(rows.map((row) => row.version));
    const known = readMigrations();
    const missing = known.find((migration) => !applied.has(migration.version));
    if (missing) {
      throw new SchemaError(
        `The database lacks migration ${missing.name}. Run the "migrate" command, then start again.`,
      );
    }
    const versions = new Set(known.map((migration) => migration.version));
    const unknown = rows.find((row) => row.breaking && !versions.has(row.version));
    if (unknown) {
      throw new SchemaError(
        `The database has migration ${unknown.name}, which this version does not know and cannot work with. Start a newer version.`,
      );
    }
    const type = await findMissingQueue(client, jobTypes);
    if (type !== undefined) {
      throw new SchemaError(
        `The database lacks the queue of ${type} jobs. Run the "migrate" command, then start again.`,
      );
    }
  } finally {
    await client.end();
  }
}
