import pg from 'pg';
import { inject } from 'vitest';
import { type ApiProcess, startApiProcess } from './api-process.ts';
import { Caller, makeCredentials } from './caller.ts';
import { cloneDatabase } from './database.ts';

/** Several API processes on one database, so that tests do not depend on the memory of one process. */
export interface ApiFleet extends AsyncDisposable {
  readonly apis: readonly ApiProcess[];
  /** Direct access to PostgreSQL. */
  readonly sql: pg.Pool;
  /** Callers of one account, distributed over the processes. */
  callerOf(writer: number): Caller;
  /** Ends the processes and their connections, but keeps the database. */
  stopApis(): Promise<void>;
}

export async function startApiFleet(
  size: number,
  env: Readonly<Record<string, string>> = {},
): Promise<ApiFleet> {
  const database = await cloneDatabase();
  const options = { databaseUrl: database.url, redisUrl: inject('redisUrl'), env };
  const apis = await Promise.all(Array.from({ length: size }, () => startApiProcess(options)));
  const credentials = await makeCredentials(database.url);
  const callers = apis.map((api) => new Caller(api.baseUrl, credentials));
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  const stopApis = async () => {
    await Promise.all(apis.map((api) => api[Symbol.asyncDispose]()));
  };
  return {
    apis,
    sql,
    callerOf: (writer) => callers[writer % callers.length] as Caller,
    stopApis,
    async [Symbol.asyncDispose]() {
      await stopApis();
      await sql.end();
      await database.drop();
    },
  };
}
