import type { Queryable, Statement } from './pool.ts';

export interface ApiKeyRow {
  readonly api_key: string;
  readonly account_id: string;
  /** Paths that the key may get tokens for; null: all. */
  readonly operations: string[] | null;
  readonly created_ts: number;
  readonly revoked_ts: number | null;
}

export interface ApiKeySecretRow extends ApiKeyRow {
  readonly secret_salt: Buffer;
  readonly secret_hash: Buffer;
}

const columns = `api_key, account_id, operations,
  (extract(epoch FROM created_at) * 1000)::float8 AS created_ts,
  (extract(epoch FROM revoked_at) * 1000)::float8 AS revoked_ts`;

const findApiKeyStatement: Statement = {
  name: 'find_api_key',
  text: `SELECT ${columns}, secret_salt, secret_hash FROM api_keys WHERE api_key = $1`,
};

/** By primary key. Runs for every call whose key is not in the process's cache. */
export async function findApiKey(db: Queryable, apiKey: string): Promise<ApiKeySecretRow | undefined> {
  const [row] = await db.rows<ApiKeySecretRow>(findApiKeyStatement, [apiKey]);
  return row;
}

const insertApiKeyStatement: Statement = {
  name: 'insert_api_key',
  text: `INSERT INTO api_keys (api_key, account_id, secret_salt, secret_hash, operations)
    SELECT $1, account_id, $3, $4, $5 FROM accounts WHERE account_id = $2
      AND NOT EXISTS (SELECT FROM account_deletions WHERE account_id = $2) RETURNING api_key`,
};

/** False if the account does not exist or is being deleted. */
export async function insertApiKey(
  db: Queryable,
  key: Pick<ApiKeySecretRow, 'api_key' | 'account_id' | 'secret_salt' | 'secret_hash' | 'operations'>,
): Promise<boolean> {
  const values = [key.api_key, key.account_id, key.secret_salt, key.secret_hash, key.operations];
  return (await db.rows(insertApiKeyStatement, values)).length === 1;
}

const listApiKeysStatement: Statement = {
  name: 'list_api_keys',
  text: `SELECT ${columns} FROM api_keys WHERE account_id = $1 ORDER BY created_at, api_key`,
};

export async function listApiKeys(db: Queryable, accountId: string): Promise<ApiKeyRow[]> {
  return db.rows(listApiKeysStatement, [accountId]);
}

const updateOperationsStatement: Statement = {
  name: 'update_api_key_operations',
  text: 'UPDATE api_keys SET operations = $2 WHERE api_key = $1 RETURNING api_key',
};

/** False when there is no such key. */
export async function updateApiKeyOperations(
  db: Queryable,
  apiKey: string,
  operations: readonly string[] | null,
): Promise<boolean> {
  return (await db.rows(updateOperationsStatement, [apiKey, operations])).length === 1;
}

const revokeStatement: Statement = {
  name: 'revoke_api_key',
  text: 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE api_key = $1 RETURNING api_key',
};

/** False when there is no such key. */
export async function updateApiKeyRevoked(db: Queryable, apiKey: string): Promise<boolean> {
  return (await db.rows(revokeStatement, [apiKey])).length === 1;
}
