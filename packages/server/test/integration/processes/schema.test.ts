import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { checkSchema, migrate } from '../../../src/processes/migrate.ts';
import { cloneDatabase, connectTo, ofThisDatabase, runSql } from '../stack/database.ts';
import { thisMain } from '../stack/server-process.ts';

const drops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(drops.splice(0).map((drop) => drop()));
});

async function clone(template?: 'template0'): Promise<string> {
  const { url, drop } = await cloneDatabase(template);
  drops.push(drop);
  return url;
}
const migrated = () => clone();
const empty = () => clone('template0');

async function connect(url: string) {
  const client = await connectTo(url);
  // Dropping its database may end it before it is closed.
  client.on('error', () => undefined);
  drops.unshift(() => client.end());
  return client;
}

/** All columns and indexes: equal for two databases with the same schema. */
async function shapeOf(url: string): Promise<object> {
  const columns =
    "SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2";
  const indexes = "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2";
  return { columns: await runSql(url, columns), indexes: await runSql(url, indexes) };
}

const applied = (url: string) =>
  runSql<{ name: string }>(url, 'SELECT * FROM schema_migrations ORDER BY version');
const addMigration = (url: string, breaking: boolean) =>
  runSql(
    url,
    `INSERT INTO schema_migrations (version, name, breaking) VALUES (9999, '9999_future.sql', ${breaking})`,
  );

/** Migrations of a newer version. */
async function nextMigrations(sql: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-migrations-'));
  drops.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '9001_next.sql'), sql);
  return pathToFileURL(`${folder}/`);
}

/** Until somebody waits for a lock of the table. */
function untilWaiting(url: string, table: string): Promise<void> {
  const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass AND ${ofThisDatabase}`;
  return expect.poll(() => runSql(url, waits), { interval: 20 }).toHaveLength(1);
}

describe('migrate', () => {
  test('that waits for a table, for example behind a dump, does not block calls', async () => {
    const url = await migrated();
    const migrations = await nextMigrations('ALTER TABLE projects ADD COLUMN next integer');
    const dump = await connect(url);
    await dump.query('BEGIN; LOCK TABLE projects IN ACCESS SHARE MODE');
    const migrating = migrate(url, migrations);
    await untilWaiting(url, 'projects');
    // A call times out after 15 s.
    await runSql(url, 'SET lock_timeout = 15000; SELECT FROM projects');
    await dump.query('COMMIT');
    expect(await migrating).toEqual(['9001_next.sql']);
  });

  test('that ends up in a deadlock with a call is applied once the call is done', async () => {
    const url = await migrated();
    const migrations = await nextMigrations(
      'ALTER TABLE projects ADD COLUMN next text; ALTER TABLE dataset_counts ADD COLUMN next text',
    );
    const call = await connect(url);
    // Then PostgreSQL ends the migration, not the call.
    await call.query("SET deadlock_timeout = '1min'");
    await call.query('BEGIN');
    await call.query('SELECT FROM dataset_counts');
    const migrating = migrate(url, migrations);
    await untilWaiting(url, 'dataset_counts');
    await call.query('SELECT FROM projects');
    await call.query('COMMIT');
    expect(await migrating).toEqual(['9001_next.sql']);
  });

  test('brings an empty database up to date, and does nothing the second time', async () => {
    const url = await empty();
    const names = await migrate(url);
    expect(names.length).toBeGreaterThanOrEqual(2);
    expect(names).toEqual(names.toSorted());
    const before = await applied(url);
    expect(before.map(({ name }) => name)).toEqual(names);
    expect(await migrate(url)).toEqual([]);
    expect(await applied(url)).toEqual(before);
    await expect(checkSchema(url)).resolves.toBeUndefined();
  });

  test('run three times concurrently applies each migration once', async () => {
    const url = await empty();
    const runs = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(runs.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await shapeOf(url)).toEqual(await shapeOf(await migrated()));
  });

  test('that fails changes nothing and records nothing', async () => {
    const url = await migrated();
    const migrations = await nextMigrations('CREATE TABLE next (key integer); SELECT 1 / 0');
    const before = await applied(url);
    await expect(migrate(url, migrations)).rejects.toMatchObject({ cause: { code: '22012' } });
    expect(await applied(url)).toEqual(before);
    expect(await shapeOf(url)).toEqual(await shapeOf(await migrated()));
  });
});

describe('a migration that starts with "-- concurrently"', () => {
  const indexes = `-- concurrently
CREATE INDEX events_by_item ON events (dataset_key, item_id);
CREATE INDEX jobs_by_name ON jobs (name);`;
  const event = (id: string) =>
    `INSERT INTO events_p00 (dataset_key, event_id, user_id, item_id, ts, event_type, event_value)
      SELECT key, '${id}', 'u1', 'i1', 0, 'buy', 1 FROM generate_series(1, 1000) key
      WHERE satisfies_hash_partition('events'::regclass, 64, 0, key) LIMIT 1`;
  /** How many parts it has, and whether they are complete. */
  const partsOf = (url: string) =>
    runSql<{ complete: boolean; parts: number }>(
      url,
      `SELECT x.indisvalid AS complete, (SELECT count(*)::int FROM pg_inherits WHERE inhparent = x.indexrelid) AS parts
        FROM pg_index x WHERE indexrelid IN (to_regclass('events_by_item'), to_regclass('jobs_by_name')) ORDER BY parts`,
    );
  const complete = [
    { complete: true, parts: 0 },
    { complete: true, parts: 64 },
  ];
  const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  const building = `${others} AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;

  /** Starts it beside a transaction that has written an event, for the end of which the first index waits. */
  async function startBeside(url: string) {
    const writer = await connect(url);
    await writer.query('BEGIN');
    await writer.query(event('e1'));
    const migrations = await nextMigrations(indexes);
    const migrating = migrate(url, migrations);
    // It may fail before the test awaits it.
    migrating.catch(() => undefined);
    await expect.poll(() => runSql(url, `SELECT ${building}`), { interval: 20 }).toHaveLength(1);
    return { writer, migrations, migrating };
  }

  test('builds its indexes while rows are written', async () => {
    const url = await migrated();
    const { writer, migrating } = await startBeside(url);
    await runSql(url, `SET lock_timeout = 1000; ${event('e2')}`);
    await writer.query('COMMIT');
    expect(await migrating).toEqual(['9001_next.sql']);
    expect(await partsOf(url)).toEqual(complete);
  });

  test('goes on where it was interrupted, with an index that was built halfway', async () => {
    const url = await migrated();
    const { writer, migrations, migrating } = await startBeside(url);
    await runSql(url, `SELECT pg_terminate_backend(pid) ${building}`);
    await expect(migrating).rejects.toThrow(/administrator command.*run "migrate" again/);
    await writer.query('COMMIT');
    expect(await migrate(url, migrations)).toEqual(['9001_next.sql']);
    expect(await partsOf(url)).toEqual(complete);
  });

  test('is applied once by several processes, none of which waits for another forever', async () => {
    const url = await migrated();
    const { writer, migrations, migrating } = await startBeside(url);
    const waiting = [migrate(url, migrations), migrate(url, migrations)];
    const locking = `SELECT ${others} AND query LIKE '%advisory_lock%'`;
    await expect.poll(() => runSql(url, locking)).toHaveLength(2);
    await writer.query('COMMIT');
    expect([await migrating, ...(await Promise.all(waiting))]).toEqual([['9001_next.sql'], [], []]);
    expect(await partsOf(url)).toEqual(complete);
  });

  test('can do nothing else', async () => {
    const url = await migrated();
    const migrations = await nextMigrations('-- concurrently\nALTER TABLE jobs ADD COLUMN next text');
    await expect(migrate(url, migrations)).rejects.toThrow('can only create indexes: ALTER TABLE');
  });
});

describe('a process', () => {
  test('refuses a database that was never migrated, and says what to do', async () => {
    await expect(checkSchema(await empty())).rejects.toThrow(/0001_\w+\.sql.*"migrate"/);
  });

  test('refuses a database that lacks a migration, and names it', async () => {
    const url = await migrated();
    await runSql(url, 'DELETE FROM schema_migrations WHERE version = 2');
    await expect(checkSchema(url)).rejects.toThrow(/0002_\w+\.sql.*"migrate"/);
  });

  test('refuses a database that lacks the queue of a job type, and names the type', async () => {
    const url = await migrated();
    await runSql(url, "SELECT pgboss.delete_queue('clustering')");
    await expect(checkSchema(url)).rejects.toThrow(/CLUSTERING.*"migrate"/);
    await migrate(url);
    await expect(checkSchema(url)).resolves.toBeUndefined();
  });

  test('refuses a database with a breaking migration that it does not know, and names it', async () => {
    const url = await migrated();
    await addMigration(url, true);
    await expect(checkSchema(url)).rejects.toThrow(/9999_future\.sql/);
  });

  test('works with a newer database without breaking changes', async () => {
    const url = await migrated();
    await addMigration(url, false);
    await expect(checkSchema(url)).resolves.toBeUndefined();
    expect(await migrate(url)).toEqual([]);
  });

  test('that refuses its database exits with code 1 and the reason', async () => {
    const url = await migrated();
    await addMigration(url, true);
    const OBJECTS_URL = 'file:///var/lib/tastegraph/objects';
    const env = { PATH: process.env['PATH'], DATABASE_URL: url, OBJECTS_URL, PORT: '0' };
    const commands = [['api'], ['admin', 'list-plans']].map((args) =>
      promisify(execFile)(process.execPath, [thisMain, ...args], { env, timeout: 20_000 }),
    );
    for (const ended of await Promise.allSettled(commands)) {
      expect(ended).toMatchObject({ status: 'rejected', reason: { code: 1 } });
      const { stderr } = (ended as PromiseRejectedResult).reason as { stderr: string };
      expect(stderr).toContain('9999_future.sql');
    }
  });
});
