import { inspect } from 'node:util';
import { type ErrorCode, errorCodes } from '@tastegraph/contract';
import { beforeEach, expect, test } from 'vitest';
import {
  ApiError,
  AuthError,
  NotFoundError,
  RateLimitError,
  Tastegraph,
  TastegraphError,
  ValidationError,
} from '../src/index.ts';
import { apiKey, apiSecret, connect, jobRef, Peer, problem, type Step } from './peer.ts';

let peer: Peer;
beforeEach(async () => {
  peer = await Peer.start();
});

const failureOf = (step: Step, options = {}) => {
  peer.script(step);
  return connect(peer, { maxRetries: 0, ...options })
    .getJob(jobRef)
    .catch((reason: unknown) => reason as ApiError) as Promise<ApiError>;
};

const classes: Partial<Record<ErrorCode, typeof ApiError>> = {
  INVALID_REQUEST: ValidationError,
  UNAUTHENTICATED: AuthError,
  SCOPE_MISSING: AuthError,
  NOT_FOUND: NotFoundError,
  QPS_EXCEEDED: RateLimitError,
  TOO_MANY_REQUESTS: RateLimitError,
};

test.each(Object.keys(errorCodes) as ErrorCode[])('%s has its class, fields and advice', async (code) => {
  const { status } = errorCodes[code];
  const failure = await failureOf(problem(status, code));
  expect(failure.constructor).toBe(classes[code] ?? ApiError);
  expect(failure).toBeInstanceOf(TastegraphError);
  expect(failure.name).toBe(failure.constructor.name);
  expect(failure.stack).toContain(`${failure.constructor.name}: getJob: ${code}`);
  expect(failure).toMatchObject({
    operation: 'getJob',
    status,
    code,
    detail: `detail of ${code}`,
    errors: [],
  });
  expect(failure.message).toMatch(
    new RegExp(`^getJob: ${code} \\(${status}\\): detail of ${code} \\S.+\\. Request id: req-1\\.$`),
  );
});

test('names the fields that are wrong', async () => {
  const step = problem(400, 'INVALID_REQUEST');
  const errors = [{ path: '/name', message: 'must be a string' }];
  const failure = await failureOf({ ...step, body: { ...(step as { body: object }).body, errors } });
  expect(failure.errors).toEqual(errors);
  expect(failure.message).toContain('[/name: must be a string]');
});

test('takes a code that is newer than the client as it is', async () => {
  const failure = await failureOf(problem(409, 'SOMETHING_NEW'));
  expect(failure).toMatchObject({ status: 409, code: 'SOMETHING_NEW', detail: 'detail of SOMETHING_NEW' });
});

test.each<[string, Step, number]>([
  ["a stranger's 404", { status: 404, headers: { 'content-type': 'text/html' }, body: '<p>' }, 404],
  ['a page instead of an answer', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 200],
  ['JSON that is no object', { body: '[]' }, 200],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } }, 307],
])('%s is not taken for the service', async (_, step, status) => {
  const failure = await failureOf(step);
  expect(failure.constructor).toBe(ApiError);
  expect(failure).toMatchObject({ status, code: 'UNRECOGNIZED' });
  expect(failure.message).toContain('Check baseUrl');
});

test('does not follow a redirect with the secret', async () => {
  const elsewhere = await Peer.start();
  peer.token = () => ({ status: 308, headers: { location: `${elsewhere.baseUrl}/oauth/token` } });
  await expect(connect(peer).getJob(jobRef)).rejects.toThrow('redirect');
  expect(elsewhere.received).toHaveLength(0);
});

test('finds the request id in the header where the body has none', async () => {
  const failure = await failureOf({ status: 502, headers: { 'x-request-id': 'req-9' }, body: '' });
  expect(failure.requestId).toBe('req-9');
});

const everything = (value: unknown) =>
  inspect(value, { depth: Infinity, showHidden: true, getters: true }) +
  JSON.stringify(value) +
  String(value);

test('the client shows neither key, secret nor token', async () => {
  const client = connect(peer);
  await client.getJob(jobRef);
  const shown = everything(client);
  expect(shown).toContain(peer.baseUrl);
  for (const hidden of [apiKey, apiSecret, 'token-1']) expect(shown).not.toContain(hidden);
});

test.each<[string, Step, Step | undefined]>([
  ['a refusal', problem(403, 'SCOPE_MISSING'), undefined],
  ['a broken connection', 'reset', undefined],
  ['a timeout', 'hang', undefined],
  [
    'a stranger who repeats the request',
    { status: 500, body: `Authorization: Bearer token-1 ${apiKey}` },
    undefined,
  ],
  ['a refused token request', {}, { status: 401, body: { error: 'invalid_client' } }],
  ['a broken token request', {}, 'reset'],
  ['a token endpoint that repeats the request', {}, { status: 500, body: apiSecret }],
  [
    'a token endpoint that answers nonsense',
    {},
    { body: { access_token: `a\n${apiSecret}`, expires_in: 1 } },
  ],
])('the error of %s shows neither key, secret nor token', async (_, step, tokenStep) => {
  if (tokenStep) peer.token = () => tokenStep;
  const failure = await failureOf(step, { timeoutMs: 300 });
  expect(failure).toBeInstanceOf(TastegraphError);
  const shown = everything(failure);
  for (const hidden of [apiKey, apiSecret, 'token-1']) expect(shown).not.toContain(hidden);
});

test.each([
  [{ baseUrl: 'localhost:8080' }, 'baseUrl'],
  [{ baseUrl: 'http://user:pass@localhost' }, 'baseUrl'],
  [{ apiKey: '' }, 'apiKey'],
  [{ apiKey: 'a\nb' }, 'apiKey'],
  [{ apiSecret: undefined as unknown as string }, 'apiSecret'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ maxRetries: -1 }, 'maxRetries'],
  [{ gzipAboveBytes: NaN }, 'gzipAboveBytes'],
  [{ scopes: ['getNothing' as 'getJob'] }, 'scopes'],
])('refuses %o when it is made', (options, named) => {
  const make = () => new Tastegraph({ baseUrl: 'http://localhost', apiKey, apiSecret, ...options });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(named);
});

test('refuses an operation that does not exist and a request id that no header can hold', async () => {
  const client = connect(peer);
  await expect(client.request('toString' as 'getJob', jobRef)).rejects.toThrow(
    'There is no operation toString',
  );
  await expect(client.getJob(jobRef, { requestId: 'a\r\nb: c' })).rejects.toThrow('requestId');
  expect(peer.received).toHaveLength(0);
});
