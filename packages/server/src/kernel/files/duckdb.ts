import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';

export type DuckValue = DuckDBValue;

/** Statements on Parquet files. They run on threads of DuckDB, never on the event loop. */
export interface Duck {
  /** A folder for the files of this session, removed with it. */
  readonly folder: string;
  run(sql: string, values?: Record<string, DuckValue>): Promise<void>;
  /** Reads the whole result: for small ones. 64-bit integers come as bigint. */
  rows<Row>(sql: string, values?: Record<string, DuckValue>): Promise<Row[]>;
}

/** Runs `use` with a new in-memory database and a temporary folder, which also takes what does not fit into the memory. */
export async function withDuck<Result>(
  { memoryMb, threads }: { readonly memoryMb: number; readonly threads: number },
  use: (duck: Duck) => Promise<Result>,
): Promise<Result> {
  // Loads 70 MB of machine code: only where it is used.
  const { DuckDBInstance: Instance } = await import('@duckdb/node-api');
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-duckdb-'));
  let instance: DuckDBInstance | undefined;
  let connection: DuckDBConnection | undefined;
  try {
    instance = await Instance.create(':memory:', {
      memory_limit: `${memoryMb}MB`,
      threads: String(threads),
      temp_directory: join(folder, 'spill'),
      // Everything that we use is built in. Nothing is ever downloaded.
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    connection = await instance.connect();
    const open = connection;
    // A connection runs one statement at a time. Others would wait in threads of Node.js's pool, which files and DNS need, too.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      const result = last.then(work);
      last = result.catch(() => undefined);
      return result;
    };
    return await use({
      folder,
      run: async (sql, values) => {
        await inTurn(() => open.run(sql, values));
      },
      rows: async <Row>(sql: string, values?: Record<string, DuckValue>) =>
        (await inTurn(() => open.runAndReadAll(sql, values))).getRowObjectsJS() as Row[],
    });
  } finally {
    connection?.closeSync();
    instance?.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
}

/** SQL: a list of files to read. */
export const readFiles = (paths: readonly string[]): string =>
  `read_parquet([${paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ')}])`;
