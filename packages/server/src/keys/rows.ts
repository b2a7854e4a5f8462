import { boundedRows, epochMs, type PageRow, type PageSize } from '../kernel/postgres/sql-fragments.ts';
import { count, many, none, one, some } from '../kernel/postgres/statement.ts';

export interface ApiKeyRow {
  readonly api_key: string;
  readonly account_id: string;
  readonly name: string | null;
  /** Paths that the key may get tokens for; null: all. */
  readonly operations: string[] | null;
  /** The datasets of a write key; null for every other key. */
  readonly event_dataset_id: string | null;
  readonly user_dataset_id: string | null;
  /** The ID of a person or an API key; null: the operator. */
  readonly created_by: string | null;
  readonly created_ts: number;
  readonly revoked_ts: number | null;
  readonly last_used_ts: number | null;
}

export interface ApiKeySecretRow extends ApiKeyRow {
  readonly secret_salt: Buffer;
  readonly secret_hash: Buffer;
}

const columns = `api_key, account_id, name, operations, event_dataset_id, user_dataset_id, created_by, ${epochMs('created_at')} AS created_ts,
  ${epochMs('revoked_at')} AS revoked_ts, ${epochMs('last_used_at')} AS last_used_ts`;

/** By primary key. */
export const findApiKey = one<[apiKey: string], ApiKeySecretRow>(
  'find_api_key',
  `SELECT ${columns}, secret_salt, secret_hash FROM api_keys WHERE api_key = $1`,
);

/** What a key may be used for. */
export type ApiKeyState = Pick<ApiKeyRow, 'api_key' | 'operations'>;

/** By primary key. Keys that are revoked or do not exist are absent, and so are write keys. */
export const listApiKeyStates = many<[apiKeys: readonly string[]], ApiKeyState>(
  'find_api_key_states',
  `SELECT api_key, operations FROM api_keys
    WHERE api_key = ANY($1::text[]) AND revoked_at IS NULL AND event_dataset_id IS NULL`,
);

export interface WriteKeyRow {
  readonly api_key: string;
  readonly account_id: string;
  readonly event_dataset_id: string;
  readonly user_dataset_id: string | null;
  readonly secret_salt: Buffer;
  readonly secret_hash: Buffer;
}

/** By primary key. Keys that are revoked, do not exist or are no write keys are absent. */
export const listWriteKeys = many<[apiKeys: readonly string[]], WriteKeyRow>(
  'find_write_keys',
  `SELECT api_key, account_id, event_dataset_id, user_dataset_id, secret_salt, secret_hash
    FROM api_keys WHERE api_key = ANY($1::text[]) AND revoked_at IS NULL AND event_dataset_id IS NOT NULL`,
);

/** False if the account does not exist or is being deleted. */
export const insertApiKey = some<
  [
    key: Pick<
      ApiKeySecretRow,
      'api_key' | 'account_id' | 'secret_salt' | 'secret_hash' | 'operations' | 'name'
    > &
      Partial<Pick<ApiKeyRow, 'event_dataset_id' | 'user_dataset_id' | 'created_by'>>,
  ]
>(
  'insert_api_key',
  `INSERT INTO api_keys
      (api_key, account_id, secret_salt, secret_hash, operations, name, event_dataset_id, user_dataset_id, created_by)
    SELECT $1, account_id, $3, $4, $5, $6, $7, $8, $9 FROM accounts WHERE account_id = $2
      AND NOT EXISTS (SELECT FROM account_deletions WHERE account_id = $2) RETURNING api_key`,
  (key) => [
    key.api_key,
    key.account_id,
    key.secret_salt,
    key.secret_hash,
    key.operations,
    key.name,
    key.event_dataset_id ?? null,
    key.user_dataset_id ?? null,
    key.created_by ?? null,
  ],
);

export const listApiKeys = many<[accountId: string], ApiKeyRow>(
  'list_api_keys',
  `SELECT ${columns} FROM api_keys WHERE account_id = $1 ORDER BY created_at, api_key`,
);

/** False when there is no such key, or it is a write key. */
export const updateApiKeyOperations = some<[apiKey: string, operations: readonly string[] | null]>(
  'update_api_key_operations',
  'UPDATE api_keys SET operations = $2 WHERE api_key = $1 AND event_dataset_id IS NULL RETURNING api_key',
);

/** False when there is no such key. */
export const updateApiKeyRevoked = some<[apiKey: string]>(
  'revoke_api_key',
  'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE api_key = $1 RETURNING api_key',
);

/** The place of a key in the list: when it was created, as PostgreSQL writes it, and the key. */
export type KeyPosition = readonly [created: string, apiKey: string];

/** Newest first, after a position. Uses api_keys_by_account; an account has few keys. */
export const listApiKeyPage = many<
  [accountId: string, after: KeyPosition, page: PageSize],
  ApiKeyRow & PageRow & { readonly position_text: string }
>(
  'page_api_keys',
  boundedRows(
    'position DESC, api_key DESC',
    '$5',
    `SELECT ${columns}, created_at AS position, created_at::text AS position_text FROM api_keys
      WHERE account_id = $1 AND (created_at, api_key) < ($2::timestamptz, $3) ORDER BY created_at DESC, api_key DESC LIMIT $4`,
  ),
  (accountId, [created, apiKey], { limit, bytes }) => [accountId, created, apiKey, limit, bytes],
);

/** Keys that are not revoked. The caller has locked the account. */
export const countApiKeys = count<[accountId: string]>(
  'count_api_keys',
  'SELECT count(*)::int AS keys FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL',
);

/** Whether a person is still in the account, or a key of it not revoked. The caller has locked the account. */
export const mayStillCall = some<[accountId: string, callerId: string]>(
  'may_still_call',
  `SELECT FROM people WHERE person_id = $2 AND account_id = $1
    UNION ALL SELECT FROM api_keys WHERE api_key = $2 AND account_id = $1 AND revoked_at IS NULL`,
);

/** Keys that work and that a person created, or a key that they created, and so on; newest first. */
export const listKeysMadeBy = many<[accountId: string, personId: string], ApiKeyRow>(
  'list_keys_made_by',
  `WITH RECURSIVE made AS (
      SELECT api_key FROM api_keys WHERE account_id = $1 AND created_by = $2
      UNION SELECT k.api_key FROM made JOIN api_keys k ON k.created_by = made.api_key AND k.account_id = $1)
    SELECT ${columns} FROM made JOIN api_keys USING (api_key) WHERE revoked_at IS NULL ORDER BY created_at DESC, api_key`,
);

/** Undefined fields stay. Undefined if the account has no such key, or the operations of a write key were to change. */
export const updateApiKeyOf = one<
  [
    accountId: string,
    apiKey: string,
    change: { name: string | undefined; operations: readonly string[] | undefined },
  ],
  ApiKeyRow
>(
  'update_api_key',
  `UPDATE api_keys SET name = coalesce($3, name), operations = coalesce($4, operations)
    WHERE account_id = $1 AND api_key = $2 AND ($4::text[] IS NULL OR event_dataset_id IS NULL) RETURNING ${columns}`,
  (accountId, apiKey, { name, operations }) => [accountId, apiKey, name ?? null, operations ?? null],
);

/** Undefined if the account has no such key. */
export const revokeApiKeyOf = one<[accountId: string, apiKey: string], ApiKeyRow>(
  'revoke_api_key_of_account',
  `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE account_id = $1 AND api_key = $2
    RETURNING ${columns}`,
);

/** When keys were last used, in milliseconds. Skips keys that another process is writing, so that no two wait for each other. */
export const updateApiKeyUse = none<[uses: ReadonlyMap<string, number>]>(
  'update_api_key_use',
  `WITH used AS (
      SELECT k.api_key, to_timestamp(u.ms / 1000) AS used_at
        FROM unnest($1::text[], $2::float8[]) AS u (api_key, ms) JOIN api_keys k USING (api_key)
        WHERE k.last_used_at IS NULL OR k.last_used_at < to_timestamp(u.ms / 1000)
        FOR NO KEY UPDATE OF k SKIP LOCKED
    ) UPDATE api_keys k SET last_used_at = used.used_at FROM used WHERE k.api_key = used.api_key`,
  (uses) => [[...uses.keys()], [...uses.values()]],
);

export interface SigningKeyRow {
  readonly kid: string;
  readonly public_jwk: Record<string, string>;
  readonly private_jwk: Record<string, string>;
  readonly created_ts: number;
}

/** The newest keys, newest first. */
export const listSigningKeys = many<[count: number], SigningKeyRow>(
  'list_signing_keys',
  `SELECT kid, public_jwk, private_jwk, (extract(epoch FROM created_at) * 1000)::float8 AS created_ts
    FROM signing_keys ORDER BY created_at DESC, kid LIMIT $1`,
);

export const insertSigningKey = none<[key: Omit<SigningKeyRow, 'created_ts'>]>(
  'insert_signing_key',
  'INSERT INTO signing_keys (kid, public_jwk, private_jwk) VALUES ($1, $2, $3)',
  (key) => [key.kid, key.public_jwk, key.private_jwk],
);

export const deleteOlderSigningKeys = none<[keep: number]>(
  'delete_older_signing_keys',
  `DELETE FROM signing_keys WHERE kid NOT IN
    (SELECT kid FROM signing_keys ORDER BY created_at DESC, kid LIMIT $1)`,
);
