import { randomBytes } from 'node:crypto';
import { accountNotFound } from '../accounts/create-account.ts';
import { parseOperations } from '../accounts/operations.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { insertApiKey } from './rows/api-keys.ts';
import { hashSecret, randomText } from './secrets.ts';

/** Only a salted hash of the secret is stored, so it cannot be shown again. */
export async function createKey(
  db: Queryable,
  cell: string,
  accountId: string,
  operations: readonly string[] | null,
  name: string | null = null,
): Promise<{ api_key: string; api_secret: string }> {
  const api_key = `tg_${cell}_${randomText(24)}`;
  const api_secret = `tgs_${randomText(43)}`;
  const secret_salt = randomBytes(16);
  const inserted = await insertApiKey(db, {
    api_key,
    account_id: accountId,
    secret_salt,
    secret_hash: hashSecret(api_secret, secret_salt),
    operations: parseOperations(operations),
    name,
  });
  if (!inserted) throw accountNotFound(accountId);
  return { api_key, api_secret };
}
