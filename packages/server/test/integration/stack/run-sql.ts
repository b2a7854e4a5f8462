import pg from 'pg';

/** Runs a statement on its own connection, which may break: the server may be killed at any time. */
export async function runSql<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
