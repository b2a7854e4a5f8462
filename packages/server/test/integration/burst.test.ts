import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import { KindCaller, recordOf } from './kinds.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

// Alone in its file: a process makes its first upserts only once.
test("a process's first concurrent upserts may outnumber its connections", async () => {
  const users = new KindCaller(await api.newCaller(), 'user');
  const dataset = await users.createdId({ num_shards: 10 });
  // Opens all connections, so that no upsert gets ahead while others connect.
  await Promise.all(Array.from({ length: 60 }, () => users.list()));
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => users.upsert(dataset, [recordOf('user', `u-${n}`)])),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await users.count(dataset)).toBe(60);
});
