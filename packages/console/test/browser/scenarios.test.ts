import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { openScreen } = useConsole();
const project_id = inject('projectId');

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });
const previewed = (page: Page) => preview(page).locator('ol > li');

async function replaceText(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

test('a scenario is created with a preview on real users, and the API has what was edited', async () => {
  const page = await openScreen('/scenarios?isNew=true');
  await previewed(page).first().waitFor();
  await page.getByLabel('Name').fill('front page');
  await replaceText(page, 'Filter', 'item.year >');
  await page.getByRole('alert').filter({ hasText: 'line 1' }).first().waitFor();
  await replaceText(page, 'Filter', 'item.year > 2000');
  const { match_count } = await shopClient().findItems({
    project_id,
    filter_query: 'item.year > 2000',
    limit: 0,
  });
  const { match_count: all } = await shopClient().findItems({ project_id, limit: 0 });
  await page.getByText(`${match_count} items of ${all} match.`).waitFor();
  await page.getByRole('button', { name: 'Add a boost' }).click();
  // It matches every item, because the preview is of a user drawn at random.
  await replaceText(page, 'Boost items that match', 'item.price > 0.0');
  await previewed(page).getByText('boost × 2').first().waitFor();
  await page.getByRole('combobox', { name: 'Pin an item' }).fill('a-blade');
  await page.getByRole('listbox', { name: 'Pin an item' }).getByRole('option').first().click();
  await previewed(page).first().getByText('pin', { exact: true }).waitFor();
  const before = await preview(page).locator('header').textContent();
  await preview(page).getByRole('button', { name: 'Next user' }).click();
  await expect.poll(() => preview(page).locator('header').textContent()).not.toBe(before);
  await page.getByLabel('New items, in % of the list').fill('10');
  await page.getByLabel('Items per list').fill('7');
  await page.getByRole('button', { name: 'Create scenario' }).click();
  await page.getByRole('heading', { name: 'front page', level: 1 }).waitFor();
  const scenario = await shopClient().getScenario({ project_id, name: 'front page' });
  expect(scenario).toMatchObject({
    version: 1,
    question: 'ITEMS_TO_USER',
    filter_query: 'item.year > 2000',
    boosts: [{ if: 'item.price > 0.0', factor: 2 }],
    pins: [{ position: 1 }],
    new_item_share: 0.1,
    limit: 7,
  });
});

test('leaving an editor with changes is asked about', async () => {
  const page = await openScreen('/scenarios?isNew=true');
  await page.getByLabel('Items per list').fill('3');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('link', { name: 'Models' }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByLabel('Items per list').inputValue()).toBe('3');
  await page.getByRole('link', { name: 'Models' }).click();
  await question.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
});

test('versions show what changed field by field, and an old one is restored', async () => {
  const name = 'cart';
  const first = { filter_query: 'item.year > 1990', limit: 5 };
  await shopClient().createScenario({ project_id, name, question: 'ITEMS_TO_USER', ...first });
  const page = await openScreen('/scenarios');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await replaceText(page, 'Filter', 'item.year > 2010');
  await page.getByRole('button', { name: 'Save new version' }).click();
  await page.getByText('Version 2.').waitFor();
  await page.getByRole('button', { name: 'Versions' }).click();
  const versions = page.getByRole('list', { name: 'Versions' }).locator('> li');
  const newest = versions.filter({ hasText: 'Version 2' });
  await newest.getByText('item.year > 1990').waitFor();
  await newest.getByText('item.year > 2010').waitFor();
  // The limit did not change.
  expect(await newest.getByText('Items per list').count()).toBe(0);
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('Version 3.').waitFor();
  const filter = page.getByRole('textbox', { name: 'Filter' });
  await expect.poll(() => filter.inputValue()).toBe('item.year > 1990');
  expect(await shopClient().getScenario({ project_id, name })).toMatchObject({ version: 3, ...first });
});

test('somebody else’s change is not overwritten', async () => {
  const name = 'contested';
  await shopClient().createScenario({ project_id, name, question: 'ITEMS_TO_USER', limit: 3 });
  const page = await openScreen(`/scenarios?scenario=${name}`);
  await page.getByLabel('Items per list').fill('9');
  await shopClient().updateScenario({ project_id, name, limit: 4 });
  await page.getByRole('button', { name: 'Save new version' }).click();
  await page.getByRole('alert').first().waitFor();
  expect(await shopClient().getScenario({ project_id, name })).toMatchObject({ version: 2, limit: 4 });
});

test('a scenario for popular items has their fields, and is deleted', async () => {
  const name = 'bestsellers';
  const page = await openScreen('/scenarios?isNew=true');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Recommends').selectOption('POPULAR');
  await page.getByLabel('Window in hours').fill('48');
  await page.getByLabel('Only items by attribute').selectOption('genres');
  await page.getByLabel('with the value').fill('Crime');
  await previewed(page).first().waitFor();
  await page.getByRole('button', { name: 'Create scenario' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  expect(await shopClient().getScenario({ project_id, name })).toMatchObject({
    window_hours: 48,
    attribute: 'genres',
    value: 'Crime',
  });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Scenarios', level: 1 }).waitFor();
  await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
});
