import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenResponse } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { keyCacheMs } from '../../../src/keys/key-cache.ts';
import { limitKey, revokeKey } from '../../../src/keys/manage-keys.ts';
import { Caller, newKey } from '../stack/caller.ts';
import { api, caller, ownProduct } from '../stack/stack.ts';
import { statusWith } from './signing.ts';

ownProduct();

const invalidScope = { status: 400, body: { error: 'invalid_scope' } };

describe('a key', () => {
  const keyOf = async (operations: string[] | null) =>
    new Caller(api.baseUrl, await newKey(api.db, caller.accountId, operations));
  const tokenOf = async (key: Caller, scopes: string) =>
    ((await key.requestToken(scopes)).body as TokenResponse).access_token;

  test('limited to some operations gets tokens for those, and invalid_scope for others', async () => {
    const key = await keyOf(['/list-user-datasets', '/get-job']);
    const token = await tokenOf(key, '/list-user-datasets');
    expect(await statusWith(api.baseUrl, key.credentials.apiKey, token)).toBe(200);
    for (const asked of ['/list-item-datasets', '/get-job /list-item-datasets'])
      expect(await key.requestToken(asked)).toMatchObject(invalidScope);
  });

  test('that is limited or revoked affects its existing tokens within the cache time', async () => {
    const [limited, revoked, untouched] = [await keyOf(null), await keyOf(null), await keyOf(null)];
    const statuses = async () =>
      Promise.all(
        [limited, revoked, untouched].map(async (key) =>
          statusWith(api.baseUrl, key.credentials.apiKey, await key.token()),
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await limitKey(api.db, limited.credentials.apiKey, ['/get-job']);
    await revokeKey(api.db, revoked.credentials.apiKey);
    expect(await limited.requestToken('/list-user-datasets')).toMatchObject(invalidScope);
    const refused = await revoked.requestToken('/get-job');
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    await sleep(keyCacheMs + 100);
    expect(await statuses()).toEqual([403, 401, 200]);
  });

  test('has a secret that is not stored in the database', async () => {
    const { apiKey, apiSecret } = caller.credentials;
    const rows = await api.rows<{ row: string }>('SELECT api_keys::text AS row FROM api_keys');
    const found = rows.find(({ row }) => row.includes(apiKey))?.row ?? '';
    expect(found).not.toBe('');
    for (const form of [apiSecret, apiSecret.replace('tgs_', ''), Buffer.from(apiSecret).toString('hex')]) {
      expect(found).not.toContain(form);
    }
    const [salts] = await api.rows<{
      salts: number;
      keys: number;
      hash_bytes: number;
      salt_bytes: number;
    }>(`SELECT count(DISTINCT secret_salt)::int AS salts, count(*)::int AS keys,
        min(length(secret_hash)) AS hash_bytes, min(length(secret_salt)) AS salt_bytes FROM api_keys`);
    expect(salts).toEqual({ salts: salts?.keys, keys: salts?.keys, hash_bytes: 32, salt_bytes: 16 });
  });
});
