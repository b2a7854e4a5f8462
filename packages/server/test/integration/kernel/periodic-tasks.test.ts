import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  claimPeriodicTask,
  endPeriodicStep,
  keepClaim,
} from '../../../src/kernel/postgres/periodic-tasks.ts';
import { openOwnDatabase } from '../stack/database.ts';

test('a claim is kept while a step runs, however long it takes, and ends with it', async () => {
  await using own = await openOwnDatabase();
  const { db } = own;
  const task = 'sort_decisions';
  const claim = () => claimPeriodicTask(db, task, 3);
  expect(await claim()).toBeDefined();
  await expect(
    keepClaim(db, task, 3, async () => {
      for (let n = 0; n < 40; n++) {
        await sleep(100);
        expect(await claim()).toBeUndefined();
      }
      throw new Error('the step failed');
    }),
  ).rejects.toThrow('the step failed');
  await endPeriodicStep(db, task, null, 0);
  expect(await claim()).toBeDefined();
});
