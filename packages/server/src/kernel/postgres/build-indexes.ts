import type pg from 'pg';

interface Index {
  readonly unique: string;
  readonly name: string;
  readonly table: string;
  /** Its columns, and what follows them. */
  readonly definition: string;
}

const statement = /^CREATE (UNIQUE )?INDEX (\w+) ON (\w+) (\(.+)$/s;

function parseIndexes(sql: string): Index[] {
  const statements = sql
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return statements.map((text) => {
    const [, unique = '', name, table, definition] = statement.exec(text) ?? [];
    if (name === undefined || table === undefined || definition === undefined)
      throw new Error(`A migration that starts with "-- concurrently" can only create indexes: ${text}`);
    return { unique, name, table, definition };
  });
}

/** Runs a step, and repeats it if it has waited for a lock longer than `waitMs`. By default, that is as long as calls may queue behind it. */
type Retry = (step: () => Promise<unknown>, waitMs?: number) => Promise<void>;

/** A build waits for all older transactions, and some read for up to an hour. No call waits for the build. */
const buildWaitMs = 2 * 3_600_000;

/**
 * Builds indexes while rows are written. PostgreSQL cannot do that for a partitioned table in one statement: each partition gets its own,
 * which then becomes a part of the whole. If it failed halfway, it can be repeated: only what is missing is built.
 */
export async function buildIndexes(client: pg.Client, sql: string, retry: Retry): Promise<void> {
  for (const index of parseIndexes(sql)) {
    const { unique, name, table, definition } = index;
    if (await isPartitioned(client, table)) {
      await retry(() =>
        client.query(`CREATE ${unique}INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${definition}`),
      );
      for (const partition of await listPartitionsWithout(client, index)) {
        const own = { ...index, name: name.replace(table, partition), table: partition };
        await retry(() => buildIndex(client, own), buildWaitMs);
        await retry(() => client.query(`ALTER INDEX ${name} ATTACH PARTITION ${own.name}`));
      }
    } else await retry(() => buildIndex(client, index), buildWaitMs);
  }
}

async function buildIndex(client: pg.Client, { unique, name, table, definition }: Index): Promise<void> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.indisvalid) return;
  // Left by a build that failed.
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  await client.query(`CREATE ${unique}INDEX CONCURRENTLY ${name} ON ${table} ${definition}`);
}

async function isPartitioned(client: pg.Client, table: string): Promise<boolean> {
  const { rowCount } = await client.query("SELECT FROM pg_class WHERE oid = $1::regclass AND relkind = 'p'", [
    table,
  ]);
  return rowCount === 1;
}

/** Those that have no part of the index. A partition that was created since has one. */
async function listPartitionsWithout(client: pg.Client, { name, table }: Index): Promise<string[]> {
  const { rows } = await client.query<{ partition: string }>(
    `SELECT c.relname AS partition FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
      WHERE p.inhparent = $1::regclass AND NOT EXISTS (
        SELECT FROM pg_index x JOIN pg_inherits part ON part.inhrelid = x.indexrelid
        WHERE x.indrelid = c.oid AND part.inhparent = $2::regclass)
      ORDER BY 1`,
    [table, name],
  );
  return rows.map(({ partition }) => partition);
}
