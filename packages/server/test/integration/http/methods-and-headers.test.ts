import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, inject } from 'vitest';
import { expectLogged, startServer } from '../stack/server-process.ts';
import { api, test } from '../stack/stack.ts';

const ask = async (method: string, path: string) =>
  fetch(`${api.baseUrl}${path}`, { method, redirect: 'manual' });

describe('a wrong method', () => {
  test.each([
    ['GET', '/upsert-dataset-events', 'POST'],
    ['POST', '/get-job', 'GET'],
    ['DELETE', '/update-project?x=1', 'PUT'],
    ['OPTIONS', '/list-jobs', 'GET'],
    ['GET', '/projects/prj_1/recommend-items-to-user', 'POST'],
    ['POST', '/healthz', 'GET'],
    ['PUT', '/readyz', 'GET'],
    ['GET', '/oauth/token', 'POST'],
    ['POST', '/.well-known/jwks.json', 'GET'],
    ['POST', '/openapi.json', 'GET'],
    ['DELETE', '/docs/', 'GET'],
    ['POST', '/docs/errors', 'GET'],
    ['POST', '/downloads/some/key', 'GET, HEAD'],
  ])('%s %s returns 405 and allows %s', async (method, path, allow) => {
    const response = await ask(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 });
  });

  test('at an unknown path returns 404', async () => {
    for (const path of ['/nowhere', '/get-job/', '/projects', '/download']) {
      const response = await ask('PATCH', path);
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
      expect(response.headers.get('allow')).toBeNull();
    }
  });
});

describe('security headers', () => {
  const protective = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(
      /^(?!.*script-src[^;]*unsafe).*frame-ancestors 'none'/,
    ) as string,
  };

  test.each([
    '/healthz',
    '/readyz',
    '/docs',
    '/docs/',
    '/docs/js/scalar.js',
    '/docs/errors',
    '/openapi.json',
    '/nowhere',
    '/get-job',
    '/%',
    '/.well-known/jwks.json',
  ])('are on the response of %s', async (path) => {
    expect(Object.fromEntries((await ask('GET', path)).headers)).toMatchObject(protective);
  });

  test('are on the response to malformed HTTP', async () => {
    const { hostname, port } = new URL(api.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write('nonsense\r\n\r\n');
    expect((await text(socket)).toLowerCase()).toContain('x-content-type-options: nosniff');
  });
});

test('an untrusted X-Forwarded-For is logged once as a warning', async () => {
  const env = { DATABASE_URL: api.databaseUrl, REDIS_URL: inject('redisUrl'), LOG_LEVEL: 'warn' };
  await using server = await startServer('api', env);
  for (let n = 0; n < 3; n++) {
    const response = await fetch(`${server.baseUrl}/healthz`, {
      headers: { 'x-forwarded-for': '203.0.113.1' },
    });
    expect(response.status).toBe(200);
  }
  await expectLogged(server, 'X-Forwarded-For');
  expect(server.output().split('X-Forwarded-For')).toHaveLength(2);
});
