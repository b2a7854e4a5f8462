import { expect } from 'vitest';
import { signedIn } from '../stack/browser.ts';
import { deployModel } from '../stack/deploy-model.ts';
import { select } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';
import { makeProject, trainModel } from '../stack/training.ts';

let project_id: string;

test.beforeAll(async () => {
  const project = await makeProject(caller);
  project_id = project.project_id;
  const model = await trainModel(caller, project);
  await deployModel((text, values) => select(api.db, text, values), model, 1);
});

test('what people try in the console takes nothing from the calls per second of the project', async () => {
  const browser = await signedIn(api, caller.credentials.accountId, 'VIEWER');
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
