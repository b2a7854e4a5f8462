import { operationNames } from '@tastegraph/contract/endpoints';
import { beforeEach, expect, test } from 'vitest';
import { AuthError, type RateLimitError } from '../src/index.ts';
import {
  apiKey,
  apiSecret,
  connect,
  FakeClock,
  jobRef,
  Peer,
  problem,
  tokenAnswer,
  training,
} from './peer.ts';

let peer: Peer;
beforeEach(async () => {
  peer = await Peer.start();
});

const scopesAsked = () =>
  peer.tokenRequests.map(({ body }) => new URLSearchParams(body).get('scope')?.split(' '));
const tokensUsed = () => peer.calls.map(({ headers }) => headers.authorization);

test('asks for a token of the operation by client credentials, and sends it with the key', async () => {
  await connect(peer).getJob(jobRef);
  const [asked] = peer.tokenRequests;
  expect(asked?.method).toBe('POST');
  expect(asked?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(asked?.headers['apikey']).toBe(apiKey);
  expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: apiKey,
    client_secret: apiSecret,
    scope: '/get-job',
  });
  expect(peer.calls[0]?.headers).toMatchObject({ authorization: 'Bearer token-1', apikey: apiKey });
});

test('keeps a token for its operation, and gets another for another operation', async () => {
  const client = connect(peer);
  await client.getJob(jobRef);
  await client.getJob(jobRef);
  await client.listProjects();
  expect(scopesAsked()).toEqual([['/get-job'], ['/list-projects']]);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
});

test('shares one token request among concurrent callers', async () => {
  const client = connect(peer);
  await Promise.all(Array.from({ length: 20 }, () => client.getJob(jobRef)));
  expect(peer.tokenRequests).toHaveLength(1);
  expect(peer.calls).toHaveLength(20);
});

test("one caller's abort does not take the token from the others", async () => {
  const asked = Promise.withResolvers<undefined>();
  const gate = Promise.withResolvers<undefined>();
  peer.token = async (_, nth) => {
    asked.resolve(undefined);
    await gate.promise;
    return tokenAnswer(nth);
  };
  const client = connect(peer);
  const controller = new AbortController();
  const first = client.getJob(jobRef, { signal: controller.signal });
  const second = client.getJob(jobRef);
  await asked.promise;
  controller.abort(new Error('changed my mind'));
  await expect(first).rejects.toThrow('changed my mind');
  gate.resolve(undefined);
  await expect(second).resolves.toEqual({ ok: true });
  expect(peer.tokenRequests).toHaveLength(1);
});

test('gets one token for the operations of `scopes`, and single ones for the rest', async () => {
  const client = connect(peer, { scopes: ['getJob', 'listJobs'] });
  await client.getJob(jobRef);
  await client.listJobs({ project_id: 'prj_1' });
  await client.listProjects();
  expect(scopesAsked()).toEqual([['/get-job', '/list-jobs'], ['/list-projects']]);
});

test('gets one token for everything with `scopes: all`', async () => {
  const client = connect(peer, { scopes: 'all' });
  await Promise.all([client.getJob(jobRef), client.listProjects(), client.submitTrainingJob(training)]);
  expect(scopesAsked()).toHaveLength(1);
  expect(scopesAsked()[0]).toHaveLength(operationNames.length);
});

test('renews a token a minute before it expires, and not earlier', async () => {
  const clock = new FakeClock();
  const client = connect(peer, {}, clock);
  await client.getJob(jobRef);
  clock.time += 3_539_000;
  await client.getJob(jobRef);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1']);
  clock.time += 1_000;
  await client.getJob(jobRef);
  expect(tokensUsed().at(-1)).toBe('Bearer token-2');
});

test('uses a short-lived token for half its life', async () => {
  peer.token = (_, nth) => tokenAnswer(nth, 30);
  const clock = new FakeClock();
  const client = connect(peer, {}, clock);
  await client.getJob(jobRef);
  clock.time += 14_000;
  await client.getJob(jobRef);
  clock.time += 1_000;
  await client.getJob(jobRef);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
});

test('renews a kept token that is refused, and repeats the call once, a create too', async () => {
  peer.operation = ({ headers }) =>
    headers.authorization === 'Bearer token-1' && peer.calls.length > 1
      ? problem(401, 'UNAUTHENTICATED')
      : { body: { job_id: 'job_1' } };
  const client = connect(peer);
  await client.submitTrainingJob(training);
  await expect(client.submitTrainingJob(training)).resolves.toEqual({ job_id: 'job_1' });
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  expect(peer.calls[2]?.body).toBe(peer.calls[1]?.body);
});

test('gives up when the renewed token is refused as well', async () => {
  const client = connect(peer);
  await client.getJob(jobRef);
  peer.operation = () => problem(401, 'UNAUTHENTICATED');
  await expect(client.getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  expect(tokensUsed()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
});

test('renews once in a call, whatever the number of its attempts', async () => {
  const client = connect(peer, {}, new FakeClock());
  await client.getJob(jobRef);
  peer.operation = (_, nth) => (nth === 3 ? problem(503, 'UNAVAILABLE') : problem(401, 'UNAUTHENTICATED'));
  await expect(client.getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  expect(tokensUsed().slice(1)).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
});

test('does not renew a token that is new', async () => {
  peer.operation = () => problem(401, 'UNAUTHENTICATED');
  await expect(connect(peer).getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  expect(peer.tokenRequests).toHaveLength(1);
  expect(peer.calls).toHaveLength(1);
});

test('renews once for many callers whose token is refused together', async () => {
  const client = connect(peer);
  await client.getJob(jobRef);
  peer.operation = ({ headers }) =>
    headers.authorization === 'Bearer token-1' ? problem(401, 'UNAUTHENTICATED') : { body: { ok: true } };
  await Promise.all(Array.from({ length: 10 }, () => client.getJob(jobRef)));
  expect(peer.tokenRequests).toHaveLength(2);
});

test.each([
  ['invalid_client', 401, 'UNAUTHENTICATED'],
  ['invalid_scope', 400, 'SCOPE_MISSING'],
])('turns %s of the token endpoint into an AuthError', async (error, status, code) => {
  peer.token = () => ({ status, body: { error, error_description: 'as it says' } });
  const client = connect(peer);
  const failure = await client.getJob(jobRef).catch((reason: unknown) => reason as AuthError);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ operation: 'token', status, code, detail: 'as it says' });
  expect(peer.tokenRequests).toHaveLength(1);
  expect(peer.calls).toHaveLength(0);
});

test('asks again after a failure: nothing that failed is kept', async () => {
  const client = connect(peer);
  peer.token = () => ({ status: 401, body: { error: 'invalid_client' } });
  await expect(client.getJob(jobRef)).rejects.toBeInstanceOf(AuthError);
  peer.token = (_, nth) => tokenAnswer(nth);
  await expect(client.getJob(jobRef)).resolves.toEqual({ ok: true });
});

test('retries the token request as such, before a create too, and no more often than maxRetries', async () => {
  const clock = new FakeClock();
  const client = connect(peer, { maxRetries: 2 }, clock);
  peer.token = (_, nth) =>
    nth === 1
      ? 'reset'
      : nth === 2
        ? problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '2' })
        : tokenAnswer(nth);
  await client.submitTrainingJob(training);
  expect(peer.calls).toHaveLength(1);
  expect(clock.pauses).toEqual([125, 2250]);

  peer.token = () => problem(429, 'TOO_MANY_REQUESTS', { 'retry-after': '2' });
  const failure = await client.getJob(jobRef).catch((reason: unknown) => reason as RateLimitError);
  expect(failure).toMatchObject({ operation: 'token', code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 2 });
  expect(peer.tokenRequests).toHaveLength(3 + 3);
});

test.each([
  ['no token', { body: { token_type: 'Bearer' } }],
  ['a token that no header can hold', { body: { access_token: 'to\nken', expires_in: 3600 } }],
])('refuses an answer with %s', async (_, answer) => {
  peer.token = () => answer;
  await expect(connect(peer).getJob(jobRef)).rejects.toThrow('token: the answer holds no token');
});
