import { gzipSync } from 'node:zlib';
import { jwksPath, type TokenResponse } from '@tastegraph/contract';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect } from 'vitest';
import { type Answer, answer } from '../stack/caller.ts';
import { api, caller, test } from '../stack/stack.ts';
import { statusWith } from './signing.ts';

const scope = '/list-user-datasets /get-user-dataset';

async function request(
  init: RequestInit,
): Promise<Answer<TokenResponse & { error: string; error_description: string }>> {
  return (await answer(await fetch(`${api.baseUrl}/oauth/token`, { method: 'POST', ...init }))) as never;
}

const form = (fields: Record<string, string>) => request({ body: new URLSearchParams(fields) });
const json = (body: unknown) =>
  request({
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const credentials = () => ({
  client_id: caller.credentials.apiKey,
  client_secret: caller.credentials.apiSecret,
});
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

describe('a token', () => {
  test('is issued for key and secret by form, JSON, gzip or HTTP Basic', async () => {
    const { client_id, client_secret } = credentials();
    for (const asked of [
      form({ client_id, client_secret, scope, grant_type: 'client_credentials' }),
      form({ client_id, client_secret, scope }),
      json({ client_id, client_secret, scope, grant_type: 'client_credentials' }),
      request({
        headers: basic(client_id, client_secret),
        body: new URLSearchParams({ scope, grant_type: 'client_credentials' }),
      }),
      request({
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: gzipSync(JSON.stringify({ client_id, client_secret, scope })),
      }),
    ]) {
      const { status, headers, body } = await asked;
      const token = { access_token: '', token_type: 'Bearer', expires_in: 3600, scope };
      expect({ status, ...body, access_token: '' }).toEqual({ status: 200, ...token });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(await statusWith(api.baseUrl, client_id, body.access_token)).toBe(200);
    }
  });

  test('is an EdDSA JWT that verifies with the published keys and lives an hour', async () => {
    const { body } = await form({ ...credentials(), scope });
    const published = createRemoteJWKSet(new URL(jwksPath, api.baseUrl));
    const { payload, protectedHeader } = await jwtVerify(body.access_token, published, {
      algorithms: ['EdDSA'],
    });
    expect(protectedHeader.alg).toBe('EdDSA');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect(Math.abs((payload.iat ?? 0) - Date.now() / 1000)).toBeLessThan(10);
    expect(payload).toMatchObject({ sub: caller.accountId, client_id: caller.credentials.apiKey, scope });
    const { keys } = (await (await fetch(new URL(jwksPath, api.baseUrl))).json()) as {
      keys: Record<string, string>[];
    };
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
      expect(key).toMatchObject({ alg: 'EdDSA', crv: 'Ed25519', kty: 'OKP', use: 'sig' });
    }
  });

  test('contains each scope once, however often it was requested', async () => {
    const { body } = await form({ ...credentials(), scope: ' /get-job  /list-jobs /get-job ' });
    expect(body.scope).toBe('/get-job /list-jobs');
  });
});

describe('a token request is refused as RFC 6749 requires:', () => {
  test.each([
    ['a wrong secret', { client_secret: 'tgs_wrong' }, 401, 'invalid_client'],
    ['a key that is not there', { client_id: 'tg_main_000000000000000000000000' }, 401, 'invalid_client'],
    ['a key of another form', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['a key that no database can hold', { client_id: 'a\0b' }, 401, 'invalid_client'],
    ['no key', { client_id: '' }, 400, 'invalid_request'],
    ['no secret', { client_secret: '' }, 400, 'invalid_request'],
    ['no scope', { scope: '' }, 400, 'invalid_scope'],
    ['an unknown scope', { scope: '/get-job /get-rich' }, 400, 'invalid_scope'],
    ['a scope that is not a path', { scope: 'all' }, 400, 'invalid_scope'],
    ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('%s', async (_, fields, status, error) => {
    for (const asked of [
      form({ ...credentials(), scope, ...fields }),
      json({ ...credentials(), scope, ...fields }),
    ]) {
      const refused = await asked;
      expect({ status: refused.status, error: refused.body.error }).toEqual({ status, error });
      expect(Object.keys(refused.body)).toEqual(['error', 'error_description']);
      expect(refused.body.error_description.length).toBeGreaterThan(10);
      expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
      expect(refused.headers.get('www-authenticate')).toBe(
        status === 401 ? 'Basic realm="tastegraph"' : null,
      );
    }
  });

  test.each([
    ['half of JSON', '{"client_id":', 'application/json'],
    ['an array', '[]', 'application/json'],
    ['a field that is no text', '{"client_id":7}', 'application/json'],
    ['nothing', '', 'application/json'],
    ['another type', 'client_id=x', 'text/plain'],
    ['17 kB', `client_id=${'x'.repeat(17_000)}`, 'application/x-www-form-urlencoded'],
  ])('a body of %s', async (_, body, type) => {
    const refused = await request({ headers: { 'content-type': type }, body });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('a wrong secret by HTTP Basic', async () => {
    const headers = basic(caller.credentials.apiKey, 'tgs_wrong');
    const refused = await request({ headers, body: new URLSearchParams({ scope }) });
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
