import { inspect } from 'node:util';
import { type ErrorCode, errorCodes } from '@tastegraph/contract';
import { expect, test } from 'vitest';
import {
  ApiError,
  AuthError,
  NotFoundError,
  RateLimitError,
  Tastegraph,
  TastegraphError,
  ValidationError,
} from '../src/index.ts';
import {
  apiKey,
  apiSecret,
  connect,
  FakeServer,
  jobRef,
  problem,
  type Step,
  server,
  serverPerTest,
} from './fake-server.ts';

serverPerTest();

const failureOf = (step: Step, options = {}) => {
  server.script(step);
  return connect(server, { maxRetries: 0, ...options })
    .getJob(jobRef)
    .catch((reason: unknown) => reason as ApiError) as Promise<ApiError>;
};

const classes: Partial<Record<ErrorCode, typeof ApiError>> = {
  INVALID_REQUEST: ValidationError,
  UNAUTHENTICATED: AuthError,
  SCOPE_MISSING: AuthError,
  ROLE_MISSING: AuthError,
  CSRF_REJECTED: AuthError,
  NOT_FOUND: NotFoundError,
  QPS_EXCEEDED: RateLimitError,
  TOO_MANY_REQUESTS: RateLimitError,
};

test.each(Object.keys(errorCodes) as ErrorCode[])('%s has its class, fields and next step', async (code) => {
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
    new RegExp(`^getJob: ${code} \\(${status}\\): detail of ${code} \\S.+\\. Request ID: req-1\\.$`),
  );
});

test('lists invalid fields', async () => {
  const step = problem(400, 'INVALID_REQUEST');
  const errors = [{ path: '/name', message: 'must be a string' }];
  const failure = await failureOf({ ...step, body: { ...(step as { body: object }).body, errors } });
  expect(failure.errors).toEqual(errors);
  expect(failure.message).toContain('[/name: must be a string]');
});

test('keeps a code that is newer than the client', async () => {
  const failure = await failureOf(problem(409, 'SOMETHING_NEW'));
  expect(failure).toMatchObject({ status: 409, code: 'SOMETHING_NEW', detail: 'detail of SOMETHING_NEW' });
});

test.each<[string, Step, number]>([
  ['a 404 from another server', { status: 404, headers: { 'content-type': 'text/html' }, body: '<p>' }, 404],
  ['an HTML page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 200],
  ['JSON that is not an object', { body: '[]' }, 200],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } }, 307],
])('%s is not recognized as a response of the service', async (_, step, status) => {
  const failure = await failureOf(step);
  expect(failure.constructor).toBe(ApiError);
  expect(failure).toMatchObject({ status, code: 'UNRECOGNIZED' });
  expect(failure.message).toContain('baseUrl');
});

test('does not send the secret to a redirect target', async () => {
  const elsewhere = await FakeServer.start();
  server.token = () => ({ status: 308, headers: { location: `${elsewhere.baseUrl}/oauth/token` } });
  await expect(connect(server).getJob(jobRef)).rejects.toMatchObject({ code: 'UNRECOGNIZED' });
  expect(elsewhere.received).toHaveLength(0);
});

test('takes the request ID from the header if the body has none', async () => {
  const failure = await failureOf({ status: 502, headers: { 'x-request-id': 'req-9' }, body: '' });
  expect(failure.requestId).toBe('req-9');
});

const everything = (value: unknown) =>
  inspect(value, { depth: Infinity, showHidden: true, getters: true }) +
  JSON.stringify(value) +
  String(value);

test('inspecting the client reveals neither key, secret nor token', async () => {
  const client = connect(server);
  await client.getJob(jobRef);
  const shown = everything(client);
  expect(shown).toContain(server.baseUrl);
  for (const hidden of [apiKey, apiSecret, 'token-1']) expect(shown).not.toContain(hidden);
});

test.each<[string, Step, Step | undefined]>([
  ['a refusal', problem(403, 'SCOPE_MISSING'), undefined],
  ['a broken connection', 'reset', undefined],
  ['a timeout', 'hang', undefined],
  [
    'another server that echoes the request',
    { status: 500, body: `Authorization: Bearer token-1 ${apiKey}` },
    undefined,
  ],
  ['a refused token request', {}, { status: 401, body: { error: 'invalid_client' } }],
  ['a broken token request', {}, 'reset'],
  ['a token endpoint that echoes the request', {}, { status: 500, body: apiSecret }],
  ['an invalid token response', {}, { body: { access_token: `a\n${apiSecret}`, expires_in: 1 } }],
])('the error of %s reveals neither key, secret nor token', async (_, step, tokenStep) => {
  if (tokenStep) server.token = () => tokenStep;
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
])('the constructor rejects %o', (options, named) => {
  const make = () => new Tastegraph({ baseUrl: 'http://localhost', apiKey, apiSecret, ...options });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(named);
});

test('rejects an unknown operation, and a request ID that is not a valid header value', async () => {
  const client = connect(server);
  await expect(client.request('toString' as 'getJob', jobRef)).rejects.toThrow(TypeError);
  await expect(client.getJob(jobRef, { requestId: 'a\r\nb: c' })).rejects.toThrow('requestId');
  expect(server.received).toHaveLength(0);
});
