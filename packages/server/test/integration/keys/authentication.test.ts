import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jwksPath } from '@tastegraph/contract';
import { decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect } from 'vitest';
import { api, caller, test } from '../stack/stack.ts';
import { signToken, statusWith } from './signing.ts';

test.beforeAll(async () => {
  // The first token creates the signing keys.
  await caller.token();
});

describe('a call returns 401 with', () => {
  const claims = () => ({ client_id: caller.credentials.apiKey, scope: '/list-user-datasets' });
  const status = async (token: string) => statusWith(api.baseUrl, caller.credentials.apiKey, token);
  const account = () => caller.accountId;
  const now = () => Math.floor(Date.now() / 1000);

  test('a valid token once it has expired', async () => {
    const at = (exp: number) => signToken(api.db, { ...claims(), sub: account(), exp });
    expect(await status(await at(now() + 60))).toBe(200);
    expect(await status(await at(now() - 1))).toBe(401);
    const soon = await at(now() + 2);
    expect(await status(soon)).toBe(200);
    await sleep(2100);
    expect(await status(soon)).toBe(401);
  });

  test('a signed token that lacks a claim or has another issuer', async () => {
    const whole = { ...claims(), sub: account(), exp: now() + 60 };
    for (const name of ['sub', 'client_id', 'scope', 'exp'] as const) {
      const rest = Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name));
      expect({ name, status: await status(await signToken(api.db, rest)) }).toEqual({
        name,
        status: 401,
      });
    }
    expect(await status(await signToken(api.db, { ...whole, iss: 'another' }))).toBe(401);
  });

  test('a forged token', async () => {
    const real = await caller.token();
    const [head = '', payload = '', signature = ''] = real.split('.');
    const { kid = '' } = decodeProtectedHeader(real);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { keys } = (await (await fetch(new URL(jwksPath, api.baseUrl))).json()) as {
      keys: { kid: string; x: string }[];
    };
    const publicKey = keys.find((key) => key.kid === kid)?.x ?? '';
    const hmac = (header: object, secret: string | Buffer) => {
      const signed = `${encode(header)}.${payload}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    };
    const stranger = await generateKeyPair('EdDSA', { extractable: true });
    const signed = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'EdDSA', kid, jwk: await exportJWK(stranger.publicKey) })
      .setIssuer('tastegraph')
      .setSubject(account())
      .setExpirationTime('1h')
      .sign(stranger.privateKey);
    const forged = {
      'alg none': `${encode({ alg: 'none', kid })}.${payload}.`,
      'alg none with a signature': `${encode({ alg: 'none', kid })}.${payload}.${signature}`,
      'HS256 with the public key as text': hmac({ alg: 'HS256', kid }, publicKey),
      'HS256 with the public key as bytes': hmac({ alg: 'HS256', kid }, Buffer.from(publicKey, 'base64url')),
      'HS256 with nothing': hmac({ alg: 'HS256', kid }, ''),
      "a stranger's key under our kid, sent along": signed,
      'an unknown kid': `${encode({ alg: 'EdDSA', kid: 'nobody' })}.${payload}.${signature}`,
      'no kid': `${encode({ alg: 'EdDSA' })}.${payload}.${signature}`,
      'other claims': `${head}.${encode({ ...claims(), sub: account(), exp: now() + 60, iss: 'tastegraph' })}.${signature}`,
      'half a signature': `${head}.${payload}.${signature.slice(0, 40)}`,
      'no signature': `${head}.${payload}.`,
      'two parts': `${head}.${payload}`,
      'no parts': 'token',
    };
    expect(await status(real)).toBe(200);
    for (const [name, token] of Object.entries(forged)) {
      expect({ name, status: await status(token) }).toEqual({ name, status: 401 });
    }
  });
});
