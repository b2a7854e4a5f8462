import { expect, expectTypeOf, test } from 'vitest';
import { type ApiError, AuthError, Tastegraph, type TastegraphOptions } from '../src/index.ts';
import { jobRef, problem, server, serverPerTest, training } from './fake-server.ts';

serverPerTest();

const session = { csrfToken: 'csrf-1', accountId: 'acc_1' };

test('a client with a session sends its two headers and no key, and requests no token', async () => {
  const client = new Tastegraph({ baseUrl: server.baseUrl, session });
  await client.getJob(jobRef);
  await client.submitTrainingJob(training);
  expect(server.received.map(({ path }) => path)).toEqual(['/get-job', '/submit-training-job']);
  for (const { headers } of server.received) {
    expect(headers).toMatchObject({ 'tastegraph-csrf': 'csrf-1', 'tastegraph-account': 'acc_1' });
    expect(headers).not.toHaveProperty('apikey');
    expect(headers).not.toHaveProperty('authorization');
  }
});

test('a client with a session sends cookies to the same origin only, and follows no redirect', async () => {
  const seen: RequestInit[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push(init ?? {});
    return globalThis.fetch(input, init);
  };
  await new Tastegraph({ baseUrl: server.baseUrl, session, fetch }).getJob(jobRef);
  await new Tastegraph({ baseUrl: server.baseUrl, apiKey: 'key', apiSecret: 'secret', fetch }).getJob(jobRef);
  expect(seen.map(({ credentials, redirect }) => ({ credentials, redirect }))).toEqual([
    { credentials: 'same-origin', redirect: 'manual' },
    { credentials: undefined, redirect: 'manual' },
    { credentials: undefined, redirect: 'manual' },
  ]);
});

test('a session that has ended is not tried again', async () => {
  server.operation = () => problem(401, 'UNAUTHENTICATED');
  const call = new Tastegraph({ baseUrl: server.baseUrl, session }).getJob(jobRef);
  await expect(call).rejects.toThrow(AuthError);
  expect(server.received).toHaveLength(1);
});

test.each(['ROLE_MISSING', 'CSRF_REJECTED'] as const)('%s is an AuthError', async (code) => {
  server.operation = () => problem(403, code);
  const error: unknown = await new Tastegraph({ baseUrl: server.baseUrl, session })
    .getJob(jobRef)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AuthError);
  expect((error as ApiError).code).toBe(code);
});

test('a client with a write key sends it as it is, and requests no token', async () => {
  server.operation = () => ({ status: 200, body: { succeed_ids: ['e1'], failed_count: 0, failures: [] } });
  const client = new Tastegraph({ baseUrl: server.baseUrl, writeKey: 'tg_main_1_2' });
  const event = { event_id: 'e1', user_id: 'anna', item_id: 'a', ts: 1, event_type: 'buy' };
  await client.importEvents('eds_1', [event]);
  expect(server.received.map(({ path }) => path)).toEqual(['/upsert-dataset-events']);
  expect(server.received[0]?.headers).toMatchObject({ authorization: 'Bearer tg_main_1_2' });
  expect(server.received[0]?.headers).not.toHaveProperty('apikey');
});

test('a client has exactly one of a session, a write key, or a key with its secret', () => {
  const baseUrl = 'http://127.0.0.1';
  const key = { apiKey: 'key', apiSecret: 'secret' };
  expectTypeOf<{ baseUrl: string }>().not.toExtend<TastegraphOptions>();
  expectTypeOf<{ baseUrl: string; session: typeof session } & typeof key>().not.toExtend<TastegraphOptions>();
  expectTypeOf<{ baseUrl: string; session: typeof session }>().toExtend<TastegraphOptions>();
  expectTypeOf<{ baseUrl: string; writeKey: string }>().toExtend<TastegraphOptions>();
  expectTypeOf<{ baseUrl: string; writeKey: string } & typeof key>().not.toExtend<TastegraphOptions>();
  expectTypeOf<{ baseUrl: string } & typeof key>().toExtend<TastegraphOptions>();
  expect(() => new Tastegraph({ baseUrl, session, ...key } as never)).toThrow(TypeError);
  expect(() => new Tastegraph({ baseUrl, session, writeKey: 'w' } as never)).toThrow(TypeError);
  expect(() => new Tastegraph({ baseUrl, writeKey: 'w', ...key } as never)).toThrow(TypeError);
  expect(() => new Tastegraph({ baseUrl } as never)).toThrow(TypeError);
  expect(() => new Tastegraph({ baseUrl, session: { csrfToken: 'a\nb', accountId: 'x' } })).toThrow(
    TypeError,
  );
});
