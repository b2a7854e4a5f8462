import { operationNames } from '@tastegraph/contract/endpoints';
import { expect, test } from 'vitest';
import { AuthError, type RateLimitError } from '../src/index.ts';
import {
  apiKey,
  apiSecret,
  connect,
  FakeClock,
  jobRef,
  problem,
  server,
  serverPerTest,
  tokenResponse,
  training,
} from './fake-server.ts';

serverPerTest();

const scopesRequested = () =>
  server.tokenRequests.map(({ body }) => new URLSearchParams(body).get('scope')?.split(' '));
const tokensUsed = () => server.calls.map(({ headers }) => headers.authorization);

test('requests a token for the operation with client credentials, and sends it with the key', async () => {
  await connect(server).getJob(jobRef);
  const [tokenRequest] = server.tokenRequests;
  expect(tokenRequest?.method).toBe('POST');
  expect(tokenRequest?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(tokenRequest?.headers['apikey']).toBe(apiKey);
  expect(Object.fromEntries(new URLSearchParams(tokenRequest?.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: apiKey,
    client_secret: apiSecret,
    scope: '/get-job',
  });
  expect(server.calls[0]?.headers).toMatchObject({ authorization: 'Bearer token-1', apikey: apiKey });
});

test('caches one token per operation', async () => {
  const client = connect(server);
  await client.getJob(jobRef);
  await client.getJob(jobRef);
  await client.listProjects();
  expect(scopesRequested()).toEqual([['/get-job'], ['/list-projects']]);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
});

test('shares one token request among concurrent callers', async () => {
  const client = connect(server);
  await Promise.all(Array.from({ length: 20 }, () => client.getJob(jobRef)));
  expect(server.tokenRequests).toHaveLength(1);
  expect(server.calls).toHaveLength(20);
});

test("one caller's abort does not affect the token request of others", async () => {
  const tokenRequest = Promise.withResolvers<undefined>();
  const gate = Promise.withResolvers<undefined>();
  server.token = async (_, nth) => {
    tokenRequest.resolve(undefined);
    await gate.promise;
    return tokenResponse(nth);
  };
  const client = connect(server);
  const controller = new AbortController();
  const first = client.getJob(jobRef, { signal: controller.signal });
  const second = client.getJob(jobRef);
  await tokenRequest.promise;
  controller.abort(new Error('changed my mind'));
  await expect(first).rejects.toThrow('changed my mind');
  gate.resolve(undefined);
  await expect(second).resolves.toEqual({ ok: true });
  expect(server.tokenRequests).toHaveLength(1);
});

test('requests one token for all operations in `scopes`, and one each for the others', async () => {
  const client = connect(server, { scopes: ['getJob', 'listJobs'] });
  await client.getJob(jobRef);
  await client.listJobs({ project_id: 'prj_1' });
  await client.listProjects();
  expect(scopesRequested()).toEqual([['/get-job', '/list-jobs'], ['/list-projects']]);
});

test('requests one token for all operations with `scopes: all`', async () => {
  const client = connect(server, { scopes: 'all' });
  await Promise.all([client.getJob(jobRef), client.listProjects(), client.submitTrainingJob(training)]);
  expect(scopesRequested()).toHaveLength(1);
  expect(scopesRequested()[0]).toHaveLength(operationNames.length);
});

test('renews a token one minute before it expires, and not earlier', async () => {
  const clock = new FakeClock();
  const client = connect(server, {}, clock);
  await client.getJob(jobRef);
  clock.time += 3_539_000;
  await client.getJob(jobRef);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1']);
  clock.time += 1_000;
  await client.getJob(jobRef);
  expect(tokensUsed().at(-1)).toBe('Bearer token-2');
});

test('uses a short-lived token for half its lifetime', async () => {
  server.token = (_, nth) => tokenResponse(nth, 30);
  const clock = new FakeClock();
  const client = connect(server, {}, clock);
  await client.getJob(jobRef);
  clock.time += 14_000;
  await client.getJob(jobRef);
  clock.time += 1_000;
  await client.getJob(jobRef);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
});

test('renews a cached token that is refused, and repeats the call once, even a create', async () => {
  server.operation = ({ headers }) =>
    headers.authorization === 'Bearer token-1' && server.calls.length > 1
      ? problem(401, 'UNAUTHENTICATED')
      : { body: { job_id: 'job_1' } };
  const client = connect(server);
  await client.submitTrainingJob(training);
  await expect(client.submitTrainingJob(training)).resolves.toEqual({ job_id: 'job_1' });
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  expect(server.calls[2]?.body).toBe(server.calls[1]?.body);
});

test('rejects if the renewed token is refused too', async () => {
  const client = connect(server);
  await client.getJob(jobRef);
  server.operation = () => problem(401, 'UNAUTHENTICATED');
  await expect(client.getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
});

test('renews at most once per call, regardless of its retries', async () => {
  const client = connect(server, {}, new FakeClock());
  await client.getJob(jobRef);
  server.operation = (_, nth) => (nth === 3 ? problem(503, 'UNAVAILABLE') : problem(401, 'UNAUTHENTICATED'));
  await expect(client.getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  expect(tokensUsed().slice(1)).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
});

test('does not renew a new token', async () => {
  server.operation = () => problem(401, 'UNAUTHENTICATED');
  await expect(connect(server).getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  expect(server.tokenRequests).toHaveLength(1);
  expect(server.calls).toHaveLength(1);
});

test('renews once for concurrent callers whose token is refused', async () => {
  const client = connect(server);
  await client.getJob(jobRef);
  server.operation = ({ headers }) =>
    headers.authorization === 'Bearer token-1' ? problem(401, 'UNAUTHENTICATED') : { body: { ok: true } };
  await Promise.all(Array.from({ length: 10 }, () => client.getJob(jobRef)));
  expect(server.tokenRequests).toHaveLength(2);
});

test.each([
  ['invalid_client', 401, 'UNAUTHENTICATED'],
  ['invalid_scope', 400, 'SCOPE_MISSING'],
])('%s of the token endpoint is an AuthError', async (error, status, code) => {
  server.token = () => ({ status, body: { error, error_description: 'the description' } });
  const client = connect(server);
  const failure = await client.getJob(jobRef).catch((reason: unknown) => reason as AuthError);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ operation: 'token', status, code, detail: 'the description' });
  expect(server.tokenRequests).toHaveLength(1);
  expect(server.calls).toHaveLength(0);
});

test('requests a token again after a failure', async () => {
  const client = connect(server);
  server.token = () => ({ status: 401, body: { error: 'invalid_client' } });
  await expect(client.getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  server.token = (_, nth) => tokenResponse(nth);
  await expect(client.getJob(jobRef)).resolves.toEqual({ ok: true });
});

test('retries the token request up to maxRetries times, even for a create', async () => {
  const clock = new FakeClock();
  const client = connect(server, { maxRetries: 2 }, clock);
  server.token = (_, nth) =>
    nth === 1
      ? 'reset'
      : nth === 2
        ? problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '2' })
        : tokenResponse(nth);
  await client.submitTrainingJob(training);
  expect(server.calls).toHaveLength(1);
  expect(clock.pauses).toEqual([125, 2250]);

  server.token = () => problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '2' });
  const failure = await client.getJob(jobRef).catch((reason: unknown) => reason as RateLimitError);
  expect(failure).toMatchObject({ operation: 'token', code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 2 });
  expect(server.tokenRequests).toHaveLength(3 + 3);
});

test.each([
  ['no token', { body: { token_type: 'Bearer' } }],
  ['a token that is not a valid header value', { body: { access_token: 'to\nken', expires_in: 3600 } }],
])('rejects a response with %s', async (_, answer) => {
  server.token = () => answer;
  await expect(connect(server).getJob(jobRef)).rejects.toMatchObject({
    name: 'TastegraphError',
    operation: 'token',
  });
});
