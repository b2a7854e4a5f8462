import type { Queryable } from './pool.ts';
import { none, value } from './statement.ts';

const insertSecret = none<[name: string, secret: Buffer]>(
  'insert_secret',
  'INSERT INTO secrets (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
);

/** Undefined if no process has stored it yet. */
export const findSecret = value<[name: string], Buffer>(
  'find_secret',
  'SELECT secret FROM secrets WHERE name = $1',
);

/** All processes share the secret of a name. Reads first, so that a process can start on a standby, which accepts no writes. */
export async function findOrInsertSecret(db: Queryable, name: string, fresh: Buffer): Promise<Buffer> {
  const known = await findSecret(db, name);
  if (known) return known;
  await insertSecret(db, name, fresh);
  // Another process may have inserted its own.
  return requireSecret(db, name);
}

export async function requireSecret(db: Queryable, name: string): Promise<Buffer> {
  const stored = await findSecret(db, name);
  if (!stored) throw new Error(`the secret ${name} could not be read`);
  return stored;
}
