import { randomUUID } from 'node:crypto';
import { type PrivatePostgres, startPostgres } from '@tastegraph/dev';
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../../src/kernel/postgres/pool.ts';
import { migrate } from '../../../src/processes/migrate.ts';
import { select } from './kinds.ts';

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
  // Without WAL, copying files is ten times as fast as the default.
  await runSql(administrator.href, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  url.pathname = `/${name}`;
  const drop = async () => void (await runSql(administrator.href, `DROP DATABASE ${name} WITH (FORCE)`));
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
}

/** A connection outside all pools, which may break: a test may kill the server at any time. */
export async function connectTo(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Runs a statement on its own connection. */
export async function runSql<Row>(url: string, sql: string): Promise<Row[]> {
  await using client = await connectTo(url);
  return (await client.query(sql)).rows as Row[];
}

/** A database as a process of ours opens it. */
export async function openTestDatabase(url: string, poolSize = 2): Promise<Database & AsyncDisposable> {
  const db = openDatabase({ url, poolSize, onIdleError: () => undefined });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}

/** A database without processes. */
export async function openOwnDatabase(poolSize = 2) {
  const { url, drop } = await cloneDatabase();
  const db = openDatabase({ url, poolSize, onIdleError: () => undefined });
  return {
    url,
    db,
    async [Symbol.asyncDispose]() {
      await db.close();
      await drop();
    },
  };
}

/** A PostgreSQL that a test may stop, with the schema. */
export async function startMigratedPostgres(): Promise<PrivatePostgres> {
  const postgres = await startPostgres({ binaries: process.env['TEST_POSTGRES'] ?? 'auto' });
  await migrate(postgres.url);
  return postgres;
}

/** SQL for `pg_locks`, which has the locks of all databases: those that other tests use have tables of the same numbers. */
export const ofThisDatabase = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

/** Keys of five datasets whose records are in the first partition of their table. */
export async function keysInFirstPartition(db: Database, table: 'events' | 'items'): Promise<number[]> {
  const text =
    'SELECT key FROM generate_series(1, 10000) key WHERE satisfies_hash_partition($1::regclass, $2, 0, key) LIMIT 5';
  const partitions = { events: 64, items: 16 }[table];
  return (await select<{ key: number }>(db, text, [table, partitions])).map(({ key }) => key);
}

/** A node of a plan, as EXPLAIN (FORMAT JSON) returns it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Conflict Arbiter Indexes'?: string[];
  readonly Plans?: PlanNode[];
}

/** The node itself and all nodes below it. */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
