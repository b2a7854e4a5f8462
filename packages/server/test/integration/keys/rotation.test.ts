import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { jwksPath, type TokenResponse } from '@tastegraph/contract';
import { decodeProtectedHeader } from 'jose';
import { expect, inject, test } from 'vitest';
import { rotateSigningKeys } from '../../../src/keys/signing-keys.ts';
import { startApiProcess } from '../stack/api-process.ts';
import { Caller } from '../stack/caller.ts';
import { thisMain } from '../stack/server-process.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { signToken, statusWith } from './signing.ts';

ownProduct();
/** Another process on the same database, which is not notified of rotations. */
const other = perFile(() => startApiProcess({ databaseUrl: api.databaseUrl, redisUrl: inject('redisUrl') }));

const publishedBy = async (baseUrl: string) => {
  const { keys } = (await (await fetch(new URL(jwksPath, baseUrl))).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};
const statuses = async (token: string) =>
  Promise.all([api, other].map(({ baseUrl }) => statusWith(baseUrl, caller.credentials.apiKey, token)));
const tokenFrom = async (baseUrl: string) => {
  const { body } = await new Caller(baseUrl, caller.credentials).requestToken('/list-user-datasets');
  return (body as TokenResponse).access_token;
};
/** Longer than a process caches the keys. */
const believed = () => sleep(2200);
const age = (hours: number) =>
  api.rows(`UPDATE signing_keys SET created_at = created_at - interval '${hours} hours'`);

// In order: each test continues with the keys of the previous one.
test('two processes that start on an empty database publish the same two keys', async () => {
  const published = await publishedBy(api.baseUrl);
  expect(new Set(published).size).toBe(2);
  expect(await publishedBy(other.baseUrl)).toEqual(published);
  const token = await tokenFrom(api.baseUrl);
  expect(decodeProtectedHeader(token).kid).toBe(published[0]);
  expect(await statuses(token)).toEqual([200, 200]);
});

test('a rotation within the hour is refused and changes nothing', async () => {
  const kids = () => api.rows('SELECT kid FROM signing_keys ORDER BY kid');
  const before = await kids();
  await expect(rotateSigningKeys(api.db, false)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await age(0.9);
  await expect(rotateSigningKeys(api.db, false)).rejects.toThrow(/\b32\d\d s\b/);
  expect(await kids()).toEqual(before);
});

test('a rotation after the hour keeps existing tokens valid', async () => {
  const old = await tokenFrom(api.baseUrl);
  const [signing = ''] = await publishedBy(api.baseUrl);
  await age(1);
  const { kid } = await rotateSigningKeys(api.db, false);
  // At once, also in processes that have the previous keys cached.
  const exp = Math.floor(Date.now() / 1000) + 60;
  const { accountId: sub, apiKey: client_id } = caller.credentials;
  const fresh = await signToken(api.db, { sub, client_id, scope: '/list-user-datasets', exp });
  expect(decodeProtectedHeader(fresh).kid).toBe(kid);
  expect(await statuses(fresh)).toEqual([200, 200]);
  await believed();
  expect(await publishedBy(api.baseUrl)).toEqual([kid, signing]);
  expect(await publishedBy(other.baseUrl)).toEqual([kid, signing]);
  expect(await statuses(old)).toEqual([200, 200]);
  expect(decodeProtectedHeader(await tokenFrom(other.baseUrl)).kid).toBe(kid);
});

test('a forced rotation invalidates all tokens, including cached ones', async () => {
  const old = await tokenFrom(api.baseUrl);
  const before = await publishedBy(api.baseUrl);
  expect(await statuses(old)).toEqual([200, 200]);
  await rotateSigningKeys(api.db, true);
  await believed();
  expect(await statuses(old)).toEqual([401, 401]);
  expect((await publishedBy(api.baseUrl)).filter((kid) => before.includes(kid))).toEqual([]);
  expect(await statuses(await tokenFrom(other.baseUrl))).toEqual([200, 200]);
});

test('the admin command rotates only with --force within the hour', async () => {
  const env = { PATH: process.env['PATH'], DATABASE_URL: api.databaseUrl };
  const command = [thisMain, 'admin', 'rotate-signing-keys', '--json'];
  const rotate = (...flags: string[]) =>
    promisify(execFile)(process.execPath, [...command, ...flags], { env });
  const [refused, forced] = await Promise.allSettled([rotate(), rotate('--force')]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 1, stdout: '' } });
  expect(forced.status).toBe('fulfilled');
  const { kid } = JSON.parse(forced.status === 'fulfilled' ? forced.value.stdout : '{}') as { kid: string };
  const rows = await api.rows<{ kid: string }>('SELECT kid FROM signing_keys ORDER BY created_at DESC');
  expect(rows).toHaveLength(2);
  expect(rows[0]?.kid).toBe(kid);
});
