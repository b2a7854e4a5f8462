import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { newProject, shopClient } from './sdk-client.ts';

const { open } = useConsole();

const users = 200;
/** Users of even and odd numbers like items of even and odd numbers. */
const itemOf = (user: number, step: number) => `i${(2 * ((user * 7 + step * 3) % 20) + (user % 2)) % 40}`;
const event = (user: number, step: number, ts: number) => ({
  event_id: `e${user}-${step}`,
  user_id: `u${user}`,
  item_id: itemOf(user, step),
  ts: ts + step,
  event_type: 'buy',
});

/** A project whose first model knows the tastes of its users and whose second does not, and events newer than both. */
async function setUpModels() {
  const { project_id, item_dataset_id, event_dataset_id } = await newProject('Guarded');
  const items = Array.from({ length: 40 }, (_, item) => ({ item_id: `i${item}` }));
  await shopClient().importItems(item_dataset_id, items);
  const eachUser = Array.from({ length: users }, (_, user) => user);
  const past = eachUser.flatMap((user) =>
    Array.from({ length: 8 }, (_, step) => event(user, step, Date.UTC(2026, 0, 1))),
  );
  await shopClient().importEvents(event_dataset_id, past);
  const train = async (algorithm_type: 'G1' | 'POPULAR', name: string) => {
    const algorithm = { project_id, name, algorithm_type, algorithm_parameters: {} } as const;
    const { algorithm_id } = await shopClient().createAlgorithm(algorithm);
    const { job_id } = await shopClient().submitTrainingJob({ project_id, algorithm_id, name });
    const job = await shopClient().waitForJob({ project_id, job_id, job_type: 'TRAINING' });
    return job.job_result.model_id;
  };
  const good = await train('G1', 'Knows tastes');
  await train('POPULAR', 'Knows nobody');
  const first = { project_id, name: 'first', generator_model_id: good };
  await shopClient().waitForJob({ project_id, ...(await shopClient().submitDeploymentJob(first)) });
  await shopClient().importEvents(
    event_dataset_id,
    eachUser.map((user) => event(user, 8, Date.UTC(2026, 1, 1))),
  );
  return { project_id, good };
}

test('a guard refuses a worse model in words, and a rollback names the model that comes back', async () => {
  const { project_id, good } = await setUpModels();
  const serving = async () => (await shopClient().getProject({ project_id })).deployment?.generator_model_id;
  const page = await open(`/accounts/${inject('accountId')}/projects/${project_id}/models`);
  await page.getByRole('button', { name: 'Deploy Knows nobody' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click();
  const guard = page.getByRole('region', { name: 'Result of the guard' });
  await guard.getByText('refused “Knows nobody”').waitFor();
  await guard.getByText(`on the same ${users} users`).waitFor();
  await guard.getByText('Loss, 90 % interval').waitFor();
  expect(await serving()).toBe(good);

  await page.getByRole('button', { name: 'Deploy Knows nobody' }).click();
  await page
    .getByRole('dialog')
    .getByRole('checkbox', { name: /^Compare/ })
    .uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('button', { name: 'Roll back' }).click();
  const dialog = page.getByRole('dialog', { name: 'Roll back to “Knows tastes”?' });
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await serving()).toBe(good);
  // There is no earlier one to return to.
  await page.getByRole('button', { name: 'Roll back' }).waitFor({ state: 'detached' });
}, 240_000);
