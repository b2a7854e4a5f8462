import { expect, test } from 'vitest';
import { startApiFleet } from '../stack/api-fleet.ts';
import { KindCaller, recordOf } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';

const fleet = perFile(() => startApiFleet(1));

// On a process of its own: a process makes its first upserts only once.
test("a process's first concurrent upserts may outnumber its connections", async () => {
  const users = new KindCaller(fleet.callerOf(0), 'user');
  const dataset = await users.createdId({ num_shards: 10 });
  // Opens all connections, so that no upsert gets ahead while others connect.
  await Promise.all(Array.from({ length: 60 }, () => users.list()));
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => users.upsert(dataset, [recordOf('user', `u-${n}`)])),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await users.count(dataset)).toBe(60);
});
