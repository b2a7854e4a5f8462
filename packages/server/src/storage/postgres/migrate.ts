import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { migrateQueue } from './queue.ts';

const directory = new URL('../../../migrations/', import.meta.url);
/** Any constant: two migrators of one database wait for each other. */
const migrationLock = 7_239_104_477n;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** An older binary cannot work with the schema after it: its first line says `-- breaking`. */
  readonly breaking: boolean;
}

function readMigrations(): Migration[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, directory), 'utf8');
      return { version: Number.parseInt(name, 10), name, sql, breaking: sql.startsWith('-- breaking') };
    });
}

/** Brings the schema up to date, each migration in a transaction of its own, and the queue's; returns the names of those applied. */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'tastegraph migrate' });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${migrationLock})`);
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY, name text NOT NULL, breaking boolean NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now())`);
    const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_migrations');
    const applied = new Set(rows.map((row) => row.version));
    const pending = readMigrations().filter((migration) => !applied.has(migration.version));
    for (const { version, name, breaking, sql } of pending) {
      await client.query('BEGIN');
      await client.query(sql);
      await client.query('INSERT INTO schema_migrations (version, name, breaking) VALUES ($1, $2, $3)', [
        version,
        name,
        breaking,
      ]);
      await client.query('COMMIT');
    }
    await migrateQueue(url);
    return pending.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

/**
 * Throws when this binary and the schema do not fit: a migration of ours is missing, or a breaking one is
 * there that we do not know. A newer schema without a breaking change is fine, so that a fleet can be
 * upgraded one process at a time.
 */
export async function checkSchema(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ there: boolean }>(
      "SELECT to_regclass('schema_migrations') IS NOT NULL AS there",
    );
    const rows = tables[0]?.there
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
      throw new Error(
        `The database lacks migration ${missing.name}. Run the "migrate" command, then start again.`,
      );
    }
    const versions = new Set(known.map((migration) => migration.version));
    const unknown = rows.find((row) => row.breaking && !versions.has(row.version));
    if (unknown) {
      throw new Error(
        `The database has migration ${unknown.name}, which this version does not know and cannot work with. Start a newer version.`,
      );
    }
  } finally {
    await client.end();
  }
}
