import { many, none } from '../../kernel/postgres/statement.ts';

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
