import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** Creates a database for one test file, cloned from the template or empty from `template0`; `drop` removes it. */
export async function cloneDatabase(
  template: 'tastegraph_template' | 'template0' = 'tastegraph_template',
): Promise<{ url: string; drop: () => Promise<void> }> {
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
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** SQL for `pg_locks`, which has the locks of all databases: those that other tests use have tables of the same numbers. */
export const ofThisDatabase = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
