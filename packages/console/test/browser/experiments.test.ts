import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { open } = useConsole();

/** A project of its own: an experiment changes what the users of the bookshop get. */
async function newProject() {
  const shop = await shopClient().getProject({ project_id: inject('projectId') });
  const { project_id } = await shopClient().createProject({
    name: 'Experiments',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id: shop.user_dataset_id,
    item_dataset_id: shop.item_dataset_id,
    event_dataset_id: shop.event_dataset_id,
  });
  const scenario = { project_id, name: 'home' };
  await shopClient().createScenario({ ...scenario, question: 'ITEMS_TO_USER', limit: 5 });
  await shopClient().updateScenario({ ...scenario, limit: 9 });
  return project_id;
}

test('an experiment is created, shown with its verdict and variants, and stopped with a variant promoted', async () => {
  const project_id = await newProject();
  const found = async () => (await shopClient().listExperiments({ project_id })).experiments[0];
  const page = await open(`/accounts/${inject('accountId')}/projects/${project_id}/experiments`);
  await page.getByText('No experiments yet').waitFor();
  await page.getByRole('button', { name: 'New experiment' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shorter lists');
  await dialog.getByLabel('Scenario').selectOption('home');
  await dialog.getByLabel('Decided by').selectOption('CLICKED');
  await dialog.getByLabel('Variant 1', { exact: true }).fill('short');
  await dialog.getByLabel('Version of variant 1').selectOption('1');
  await dialog.getByLabel('Share of the control (%)').fill('80');
  await dialog.getByLabel('Share of variant 1 (%)').fill('30');
  expect(await dialog.getByRole('button', { name: 'Start' }).isEnabled()).toBe(false);
  await dialog.getByLabel('Share of variant 1 (%)').fill('10');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('heading', { name: 'Shorter lists' }).waitFor();
  expect(await found()).toMatchObject({
    metric: 'CLICKED',
    state: 'RUNNING',
    variants: [
      { name: 'control', share: 0.8, scenario_version: null },
      { name: 'short', share: 0.1, scenario_version: 1 },
    ],
  });
  await page.getByRole('note', { name: 'Verdict' }).waitFor();
  // Nobody has been exposed yet, so there is nothing to say about the shares.
  expect(await page.getByText('Users were split as planned').count()).toBe(0);
  await page.getByRole('row', { name: /short.*10 % of users.*version 1.*undecided/ }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop…' }).click();
  await dialog.getByLabel('From then on, all users get').selectOption('short');
  await dialog.getByRole('button', { name: 'Stop and promote' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('all users get “short”').waitFor();
  expect(await found()).toMatchObject({ state: 'STOPPED', promoted: 'short' });
  expect(await shopClient().getScenario({ project_id, name: 'home' })).toMatchObject({
    version: 3,
    limit: 5,
  });
});
