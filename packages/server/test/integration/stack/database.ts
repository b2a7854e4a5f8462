import { randomUUID } from 'node:crypto';
import { type PrivatePostgres, startPostgres } from '@tastegraph/dev';
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../../src/kernel/postgres/pool.ts';
import { migrate } from '../../../src/processes/migrate.ts';

interface ClonedDatabase extends AsyncDisposable {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Creates a database for one test file, cloned from the template or empty from `template0`; `drop` removes it. */
export async function cloneDatabase(
  template: 'tastegraph_template' | 'template0' = 'tastegraph_template',
): Promise<ClonedDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('templateUrl'));
  const administrator = new URL(url);
  administrator.pathname = '/postgres';
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: administrator.href });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  url.pathname = `/${name}`;
  const drop = () => run(`DROP DATABASE ${name} WITH (FORCE)`);
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
}

/** A database as a process of ours opens it. */
export async function openTestDatabase(url: string, poolSize = 2): Promise<Database & AsyncDisposable> {
  const db = openDatabase({ url, poolSize, onIdleError: () => undefined });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}

/** A PostgreSQL that a test may stop, with the schema. */
export async function startMigratedPostgres(): Promise<PrivatePostgres> {
  const postgres = await startPostgres({ binaries: process.env['TEST_POSTGRES'] ?? 'auto' });
  await migrate(postgres.url);
  return postgres;
}

/** SQL for `pg_locks`, which has the locks of all databases: those that other tests use have tables of the same numbers. */
export const ofThisDatabase = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
