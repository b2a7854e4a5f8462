import type { Queryable, Statement } from './pool.ts';

export interface SigningKeyRow {
  readonly kid: string;
  readonly public_jwk: Record<string, string>;
  readonly private_jwk: Record<string, string>;
  readonly created_ts: number;
}

const listStatement: Statement = {
  name: 'list_signing_keys',
  text: `SELECT kid, public_jwk, private_jwk, (extract(epoch FROM created_at) * 1000)::float8 AS created_ts
    FROM signing_keys ORDER BY created_at DESC, kid LIMIT $1`,
};

/** The newest keys, newest first. */
export async function listSigningKeys(db: Queryable, count: number): Promise<SigningKeyRow[]> {
  return db.rows(listStatement, [count]);
}

const insertStatement: Statement = {
  name: 'insert_signing_key',
  text: 'INSERT INTO signing_keys (kid, public_jwk, private_jwk) VALUES ($1, $2, $3)',
};

export async function insertSigningKey(db: Queryable, key: Omit<SigningKeyRow, 'created_ts'>): Promise<void> {
  await db.rows(insertStatement, [key.kid, key.public_jwk, key.private_jwk]);
}

const deleteOlderStatement: Statement = {
  name: 'delete_older_signing_keys',
  text: `DELETE FROM signing_keys WHERE kid NOT IN
    (SELECT kid FROM signing_keys ORDER BY created_at DESC, kid LIMIT $1)`,
};

export async function deleteOlderSigningKeys(db: Queryable, keep: number): Promise<void> {
  await db.rows(deleteOlderStatement, [keep]);
}
