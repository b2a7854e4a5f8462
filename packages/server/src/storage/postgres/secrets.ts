import type { Queryable, Statement } from './pool.ts';

const findStatement: Statement = {
  name: 'find_secret',
  text: 'SELECT secret FROM secrets WHERE name = $1',
};

const insertStatement: Statement = {
  name: 'insert_secret',
  text: 'INSERT INTO secrets (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
};

/**
 * The secret of that name, shared by all processes. Stores `fresh` if there is none yet. Reads first, so that a process can
 * start on a standby, which accepts no writes.
 */
export async function findOrInsertSecret(db: Queryable, name: string, fresh: Buffer): Promise<Buffer> {
  const find = () => db.rows<{ secret: Buffer }>(findStatement, [name]);
  const [known] = await find();
  if (known) return known.secret;
  await db.rows(insertStatement, [name, fresh]);
  // Another process may have inserted its own.
  const [row] = await find();
  if (!row) throw new Error(`the secret ${name} could not be read`);
  return row.secret;
}
