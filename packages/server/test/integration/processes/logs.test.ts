import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { limits, type TokenResponse } from '@tastegraph/contract';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeBreakable } from '../stack/breakable.ts';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase, runSql } from '../stack/database.ts';
import { startServer } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';

const database = perFile(() => cloneDatabase());
const way = perFile(() => makeBreakable(database.url));
const server = perFile(() => {
  const env = { DATABASE_URL: way.url, REDIS_URL: inject('redisUrl'), LOG_LEVEL: 'trace' };
  return startServer('all-in-one', env);
});
const caller = perFile(async () => new Caller(server.baseUrl, await makeCredentials(database.url)));
const tokens: string[] = [];
beforeAll(async () => void tokens.push(await caller.token()));

/** Marks everything that the test sends. It must not appear in a log. */
const mark = 'Zq7marker';

interface Seen {
  readonly status: number;
  readonly requestId: string | null;
}

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Seen> {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(`${server.baseUrl}${path}`, init);
  const text = await response.text();
  if (path === '/oauth/token' && response.ok) tokens.push((JSON.parse(text) as TokenResponse).access_token);
  return { status: response.status, requestId: response.headers.get('x-request-id') };
}

/** The response to bytes that are not valid HTTP. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(text);
  return readText(socket);
}

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly request_id?: string;
  readonly status?: number;
  readonly route?: string | null;
}

/** The complete lines. */
const lines = () => {
  const complete = server.output().split('\n').slice(0, -1);
  return complete.map((line) => JSON.parse(line) as LogLine);
};

type Step = [
  name: string,
  status: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
];

let writeKey = '';
const basicOf = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test('every kind of response has an X-Request-Id', async () => {
  const { apiKey, apiSecret } = caller.credentials;
  const { user_dataset_id } = await caller.call('createUserDataset', { name: mark, num_shards: 1 });
  const { event_dataset_id } = await caller.call('createEventDataset', { name: mark, num_shards: 1 });
  ({ write_key: writeKey } = await caller.call('createWriteKey', { name: mark, event_dataset_id }));
  const writing = { authorization: `Bearer ${writeKey}`, 'content-type': 'application/json' };
  const writingBasic = { ...writing, authorization: basicOf(`${writeKey}:`) };
  const noEvents = JSON.stringify({ event_dataset_id, events: [] });
  const request = (users: unknown) => JSON.stringify({ user_dataset_id, users });
  const json = { ...(await caller.headers()), 'content-type': 'application/json' };
  const zip = { ...json, 'content-encoding': 'gzip' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const basic = { ...form, authorization: basicOf(`${apiKey}:${apiSecret}`) };
  const narrow = ((await caller.requestToken('/get-job')).body as TokenResponse).access_token;
  tokens.push(narrow);
  const asked = `client_id=${apiKey}&client_secret=${apiSecret}`;
  const bad = [{ user_id: `${mark}\u0001` }, { user_id: mark, [mark]: mark }];
  const upsert = '/upsert-dataset-users';
  const list = '/list-user-datasets';
  const well: Step[] = [
    ['a token', 200, 'POST', '/oauth/token', form, `${asked}&scope=/get-job`],
    ['a token by Basic', 200, 'POST', '/oauth/token', basic, 'scope=/get-job'],
    ['a wrong secret', 401, 'POST', '/oauth/token', form, `client_id=${apiKey}&client_secret=${mark}`],
    ['a wrong scope', 400, 'POST', '/oauth/token', form, `${asked}&scope=/${mark}`],
    ['half a token request', 400, 'POST', '/oauth/token', json, `{"client_secret":"${apiSecret}"`],
    ['an upsert', 200, 'POST', upsert, json, request([{ user_id: mark, attributes: { [mark]: mark } }])],
    ['a write key', 200, 'POST', '/upsert-dataset-events', writing, noEvents],
    ['a write key by Basic', 200, 'POST', '/upsert-dataset-events', writingBasic, noEvents],
    ['a write key that reads', 403, 'GET', list, writing],
    ['a write key for a token', 401, 'POST', '/oauth/token', form, `client_id=${writeKey}&client_secret=x`],
    ['bad records', 200, 'POST', upsert, json, request(bad)],
    ['a bad request', 400, 'POST', upsert, json, request(mark)],
    ['half of JSON', 400, 'POST', upsert, json, request([mark]).slice(0, -2)],
    ['broken gzip', 400, 'POST', upsert, zip, `${mark} is no gzip`],
    ['a bomb', 413, 'POST', upsert, zip, gzipSync(Buffer.alloc(limits.bodyBytes + 1))],
    ['another type', 415, 'POST', upsert, { ...json, 'content-type': 'text/plain' }, mark],
    ['no such dataset', 404, 'GET', `/get-user-dataset?user_dataset_id=${mark}`, json],
    ['no such operation', 404, 'POST', `/${mark}?${mark}=${mark}`, json, request([mark])],
    ['a bad path', 400, 'GET', `/%zz${mark}`, json],
    ['no token', 401, 'GET', list, { apikey: apiKey }],
    ['a bad token', 401, 'GET', list, { ...json, authorization: `Bearer ${mark}.${mark}.${mark}` }],
    ['a bad key', 401, 'GET', list, { ...json, apikey: mark }],
    ['a scope that is missing', 403, 'GET', list, { ...json, authorization: `Bearer ${narrow}` }],
    ['documentation', 200, 'GET', '/openapi.json', {}],
    ['health', 200, 'GET', '/healthz', {}],
  ];
  const withoutDatabase: Step[] = [
    ['a call without database', 503, 'POST', upsert, json, request([{ user_id: mark }])],
    ['a token without database', 503, 'POST', '/oauth/token', form, `${asked}&scope=/get-job`],
    ['readiness without database', 503, 'GET', '/readyz', {}],
  ];
  const withIt: Step[] = [
    ['a call with the database again', 200, 'POST', upsert, json, request([{ user_id: mark }])],
    ['a delete', 200, 'DELETE', '/delete-user-dataset', json, JSON.stringify({ user_dataset_id })],
  ];
  const ids: (string | null)[] = [];
  const walk = async (steps: Step[]) => {
    for (const [name, status, method, path, headers, body] of steps) {
      const seen = await send(method, path, headers, body);
      expect([name, seen.status]).toEqual([name, status]);
      ids.push(seen.requestId);
    }
  };
  await walk(well);
  await way.cut();
  await walk(withoutDatabase);
  await way.mend();
  await walk(withIt);
  expect(ids.every((id) => id !== null && /^[\w.:-]{1,128}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test('malformed HTTP gets an error in the same format', async () => {
  for (const text of [
    `GET / HTTP/1.1\r\nno colon ${mark}\r\n\r\n`,
    `${mark}\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mark}${'x'.repeat(20_000)}\r\n\r\n`,
  ]) {
    const [head = '', body = ''] = (await sendRaw(text)).split('\r\n\r\n');
    const problem = JSON.parse(body) as { code: string; request_id: string };
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(head).toContain(`X-Request-Id: ${problem.request_id}`);
    expect(problem.code).toBe('INVALID_REQUEST');
  }
});

describe('the log', () => {
  test('is one JSON object per line, with one line per answered request', async () => {
    const requests = lines().filter(({ msg }) => msg === 'request');
    expect(requests.length).toBeGreaterThan(25);
    for (const line of requests) {
      expect(line.request_id).toMatch(/^[\w.:-]{1,128}$/);
      expect(line.status).toBeGreaterThanOrEqual(200);
    }
    expect(
      lines().some(({ msg, level, request_id }) => msg === 'UNAVAILABLE' && level === 50 && request_id),
    ).toBe(true);
  });

  test('does not report a caller that disconnects within its body as an error', async () => {
    const id = 'gone-in-the-middle';
    const headers = {
      ...(await caller.headers()),
      'content-type': 'application/json',
      'content-length': 1000,
      'x-request-id': id,
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`POST /upsert-dataset-users HTTP/1.1\r\nhost: x\r\n${head.join('\r\n')}\r\n\r\n{"users":`);
    await sleep(200);
    socket.resetAndDestroy();
    await sleep(200);
    await send('GET', '/healthz', {});
    expect(lines().filter(({ request_id, level }) => request_id === id && level >= 50)).toEqual([]);
  });

  test('uses a well-formed X-Request-Id of the caller, and otherwise a new one', async () => {
    const sane = ['abc', 'A-b_c.d:1', 'x'.repeat(128)];
    for (const id of sane) {
      expect((await send('GET', '/healthz', { 'x-request-id': id })).requestId).toBe(id);
      // The line is written after the response is sent.
      const logged = () => lines().some(({ request_id, msg }) => request_id === id && msg === 'request');
      await expect.poll(logged, { timeout: 10_000 }).toBe(true);
    }
    for (const id of ['', 'x'.repeat(129), 'a b', '<script>', 'a"b', `${mark}\u00e9`, '{"level":60}']) {
      const { requestId } = await send('GET', '/healthz', { 'x-request-id': id });
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(server.output()).not.toContain('script');
  });

  test('contains no secret, token, key or password, and no content of requests', async () => {
    const keys = await runSql<{ d: string }>(database.url, "SELECT private_jwk->>'d' AS d FROM signing_keys");
    const { apiKey, apiSecret } = caller.credentials;
    const secrets = {
      apiSecret,
      'apiSecret in Basic': basicOf(`${apiKey}:${apiSecret}`).replace('Basic ', ''),
      'write key': writeKey.slice(-43),
      'write key in Basic': basicOf(`${writeKey}:`).replace('Basic ', ''),
      apiKey,
      mark,
      'password of the database': new URL(database.url).password,
      'password of Redis': new URL(inject('redisUrl')).password,
      'a word of the header': 'Bearer ',
      ...Object.fromEntries(keys.map(({ d }, n) => [`private key ${n}`, d])),
      ...Object.fromEntries(tokens.map((token, n) => [`token ${n}`, token.split('.').at(-1) ?? ''])),
      ...Object.fromEntries(tokens.map((token, n) => [`claims of token ${n}`, token.split('.')[1] ?? ''])),
    };
    expect(tokens.length).toBeGreaterThanOrEqual(3);
    expect(Object.values(secrets).every((secret) => secret.length >= 7)).toBe(true);
    const output = server.output();
    expect(output.length).toBeGreaterThan(5000);
    const found = Object.entries(secrets).filter(([, secret]) => output.includes(secret));
    expect(found.map(([name]) => name)).toEqual([]);
  });
});
