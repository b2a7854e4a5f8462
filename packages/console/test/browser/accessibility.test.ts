import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { open, openScreen } = useConsole();

/** Every screen, and what is there once it has loaded. */
const screens = {
  '': (page: Page) => page.getByText('target', { exact: true }),
  '/data': (page: Page) => page.getByText('Training would take about'),
  '/playground?user=anna': (page: Page) => page.getByRole('list', { name: 'Reasons' }).first(),
  '/scenarios': (page: Page) => page.getByRole('link', { name: /^New scenario/ }),
  '/scenarios?isNew=true': (page: Page) => page.getByRole('list', { name: 'Reasons' }).first(),
  '/models': (page: Page) => page.getByText('What it learned from'),
  '/outcomes': (page: Page) => page.getByLabel('Recommendation ID'),
  '/experiments': (page: Page) => page.getByText('No experiments yet').or(page.getByText('All experiments')),
  '/audiences': (page: Page) => page.getByText('No clusters yet').or(page.getByText('Map of clusters')),
  '/audiences?tab=affinity': (page: Page) => page.getByRole('tabpanel', { name: 'Affinity' }),
  '/audiences?tab=lists': (page: Page) => page.getByRole('tabpanel', { name: 'User lists' }),
  '/operations?tab=usage': (page: Page) => page.getByText('Calls by project and caller'),
  '/operations': (page: Page) => page.getByRole('cell', { name: /training/ }).first(),
  '/operations?tab=schedules': (page: Page) => page.getByRole('button', { name: 'New schedule' }),
  '/operations?tab=webhooks': (page: Page) => page.getByRole('button', { name: 'New webhook' }),
  '/operations?tab=keys': (page: Page) => page.getByRole('button', { name: /^Revoke/ }).first(),
  '/operations?tab=people': (page: Page) => page.getByRole('button', { name: /^Remove/ }).first(),
  '/operations?tab=audit': (page: Page) => page.getByRole('cell', { name: /^Create/ }).first(),
  '/operations?tab=erasure': (page: Page) => page.getByText('No erasure to show'),
};

test.each(Object.entries(screens))(
  'the screen "%s" has no violations, light and dark',
  async (path, ready) => {
    const page = await openScreen(path);
    await ready(page).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  },
);

test('signing in has no violations, light and dark', async () => {
  const page = await open('/sign-in', { signedOut: true });
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test('rules and dialogs have no violations, light and dark', async () => {
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Add a boost' }).click();
  await page.getByRole('textbox', { name: 'Boost items that match' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy call' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test('a comparison of two lists has no violations, light and dark', async () => {
  const page = await openScreen('/playground?user=anna&isCompared=true');
  await page.getByRole('combobox', { name: 'Model of the second list' }).waitFor();
  await page.getByRole('list', { name: 'Reasons' }).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test('a scenario, its versions and the project settings have no violations, light and dark', async () => {
  const client = shopClient();
  const ref = { project_id: inject('projectId'), name: 'accessible' };
  await client.createScenario({ ...ref, question: 'ITEMS_TO_USER', limit: 5 });
  await client.updateScenario({
    ...ref,
    filter_query: 'item.year > 1990',
    pins: [{ position: 1, item_id: 'x' }],
  });
  const page = await openScreen('/scenarios');
  await page.getByRole('link', { name: 'accessible' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'accessible' }).click();
  await page.getByRole('button', { name: 'Versions' }).click();
  await page.getByRole('dialog').getByText('item.year > 1990').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Project/ }).click();
  await page.getByRole('menuitem', { name: 'Project settings' }).click();
  await page.getByRole('dialog').getByLabel('Title of an item').waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

/** The dialogs of a tab of Operations, and what opens each. */
const dialogs = [
  ['keys', (page: Page) => page.getByRole('button', { name: 'New key' })],
  ['keys', (page: Page) => page.getByRole('button', { name: /^Change/ }).first()],
  ['keys', (page: Page) => page.getByRole('button', { name: /^Revoke/ }).first()],
  ['people', (page: Page) => page.getByRole('button', { name: 'Invite' })],
  ['people', (page: Page) => page.getByRole('button', { name: /^Remove/ }).first()],
] as const;

test.each(dialogs)('a dialog of the tab "%s" has no violations, and closes by key', async (tab, opener) => {
  const page = await openScreen(`/operations?tab=${tab}`);
  await opener(page).click();
  await page.getByRole('dialog').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('a new secret and a receipt of an erasure have no violations, light and dark', async () => {
  const page = await openScreen('/operations?tab=keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Accessible');
  await dialog.getByLabel('What may it do?').selectOption('some');
  await dialog.getByRole('checkbox', { name: 'Get job' }).check();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('group', { name: 'Secret' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Erasure' }).click();
  await page.getByLabel('User ID').fill('nobody-here');
  await page.getByRole('button', { name: 'Erase…' }).click();
  await dialog.getByLabel('Type nobody-here to confirm').fill('nobody-here');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Erase' }).click();
  await page.getByRole('heading', { name: 'Remains' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
}, 180_000);

/** Texts and controls that are beyond the right edge and cannot be scrolled to. */
const cutOff = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main :is(p, h1, h2, h3, a, button, input, select, dt, dd)')]
      .filter((element) => {
        const { right, width, height } = element.getBoundingClientRect();
        if (width === 0 || height === 0 || right <= innerWidth + 1) return false;
        for (let box = element.parentElement; box; box = box.parentElement)
          if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return false;
        return true;
      })
      .map((element) => `${element.tagName} ${element.textContent}`.slice(0, 60)),
  );

test.each(Object.entries(screens))('the screen "%s" fits a phone', async (path, ready) => {
  const page = await openScreen(path, { width: 375 });
  await ready(page).waitFor();
  // What is wider than the page scrolls in its own box, such as a table.
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await cutOff(page)).toEqual([]);
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Models' }).click();
  await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
});
