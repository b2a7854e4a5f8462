import { expect } from 'vitest';
import { signedIn } from '../stack/browser.ts';
import { makeTrained } from '../stack/deployment-cell.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';
import { deployModel } from '../stack/training.ts';

const project = perFile(() => makeTrained(caller), test);
test.beforeAll(() => deployModel(api.rows, project.model_id, 1));

test('what people try in the console takes nothing from the calls per second of the project', async () => {
  const { project_id } = project;
  const browser = await signedIn(api, caller.accountId, 'VIEWER');
  // More at once than the project may receive, less than people may try.
  const tried = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      browser.ask('recommendItemsToUser', { project_id, user_id: `u${n}` }),
    ),
  );
  expect(tried.map(({ status }) => status)).toEqual(tried.map(() => 200));
  expect(await caller.ask('recommendItemsToUser', { project_id, user_id: 'u1' })).toMatchObject({
    status: 200,
  });
});
