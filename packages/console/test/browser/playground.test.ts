import type { Locator, Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { payloads } from './payloads.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { open, openScreen } = useConsole();

const recommended = (page: Page) => page.getByRole('region', { name: 'Recommendations' }).locator('ol > li');

test('it opens with a user, their history and what is recommended, with reasons', async () => {
  const page = await openScreen('/playground');
  await recommended(page).nth(11).waitFor();
  expect(await page.getByRole('combobox', { name: 'User' }).inputValue()).not.toBe('');
  const history = page.getByRole('region', { name: 'History' });
  await history.getByRole('listitem').first().waitFor();
  await recommended(page)
    .first()
    .getByRole('list', { name: 'Reasons' })
    .getByRole('button')
    .first()
    .waitFor();
});

test('pointing at a reason highlights the event behind it', async () => {
  const page = await openScreen('/playground?user=anna');
  const reason = recommended(page).first().locator('button[data-reason="item"]').first();
  await reason.hover();
  const event = page.getByRole('region', { name: 'History' }).locator('li[data-highlighted="true"]').first();
  await event.waitFor();
  const title = (await reason.locator('span').first().textContent()) ?? '?';
  expect(await event.textContent()).toContain(title);
});

test('a user is found by the start of the ID, with the keyboard alone', async () => {
  const page = await openScreen('/playground?user=anna');
  const field = page.getByRole('combobox', { name: 'User' });
  await field.fill('ben');
  await page.getByRole('option', { name: /^ben/ }).waitFor();
  await field.press('ArrowDown');
  await field.press('Enter');
  await page.waitForURL(/user=ben/);
  await recommended(page).first().waitFor();
});

test('a random user is another user', async () => {
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'Random user' }).click();
  await page.waitForURL((url) => url.searchParams.get('user') !== 'anna');
  await recommended(page).first().waitFor();
});

test('a visitor gets recommendations from the items they looked at', async () => {
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'A visitor' }).click();
  const field = page.getByRole('combobox', { name: 'Add an item the visitor looked at' });
  await field.fill('a-blade');
  await page.getByRole('option').first().click();
  await recommended(page).first().waitFor();
  const looked = page.getByRole('region', { name: 'What the visitor looked at' });
  await looked.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('Recommendations appear with the first item.').waitFor();
});

test('a filter restricts the items and shows what is wrong with it', async () => {
  const page = await openScreen('/playground?user=anna');
  await recommended(page).first().waitFor();
  await page.getByRole('button', { name: 'Rules' }).click();
  await page.getByRole('textbox', { name: 'Filter' }).click();
  await page.keyboard.insertText('item.year >');
  await page
    .getByRole('alert')
    .getByText(/line 1/)
    .waitFor();
  await page.keyboard.insertText(' 2100');
  await page.getByText('Nothing to recommend').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await recommended(page).nth(5).waitFor();
});

test('the filter completes the attributes of the items', async () => {
  const page = await openScreen('/playground?user=anna');
  // By now the attributes are known.
  await recommended(page).first().waitFor();
  await page.getByRole('button', { name: 'Rules' }).click();
  const filter = page.getByRole('textbox', { name: 'Filter' });
  await filter.click();
  await filter.pressSequentially('item.ye');
  await page.getByRole('option', { name: /item\.year/ }).waitFor();
  await page.keyboard.press('Tab');
  await filter.filter({ hasText: 'item.year' }).waitFor();
});

test('a share of new items is shown with a badge and how each was drawn', async () => {
  const client = shopClient();
  const project = await client.getProject({ project_id: inject('projectId') });
  const { item_dataset_id } = project;
  const ids = ['just-in-1', 'just-in-2'];
  await client.upsertDatasetItems({
    item_dataset_id,
    items: ids.map((item_id) => ({ item_id, attributes: { title: `Just in: ${item_id}` } })),
  });
  try {
    const page = await openScreen('/playground?user=anna');
    await page.getByRole('button', { name: 'Rules' }).click();
    await page.getByLabel('New items, in % of the list').fill('25');
    const drawn = recommended(page).filter({ hasText: /drawn, 1 in \d/ });
    await drawn.first().getByText('new item', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rules (1)' }).waitFor();
  } finally {
    await client.deleteDatasetItems({ item_dataset_id, ids });
  }
});

test('a boost is shown with the items it moved', async () => {
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Add a boost' }).click();
  await page.getByRole('textbox', { name: 'Boost items that match' }).click();
  await page.keyboard.type('item.year > 1900');
  await recommended(page).first().getByText('boost × 2').waitFor();
});

test('the call can be copied as curl, TypeScript and command line', async () => {
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'Copy call' }).click();
  const code = page.getByRole('dialog').locator('pre:visible');
  await code.filter({ hasText: '/recommend-items-to-user' }).waitFor();
  await page.getByRole('tab', { name: 'TypeScript' }).click();
  await code.filter({ hasText: 'recommendItemsToUser' }).waitFor();
  await page.getByRole('tab', { name: 'Command line' }).click();
  await page.getByRole('tabpanel', { name: 'Command line' }).waitFor();
  await code.filter({ hasText: `tastegraph recommend anna --project ${inject('projectId')}` }).waitFor();
});

test('titles and attributes that attack the page are shown as the texts they are', async () => {
  // Several pages at the same time, because each waits a moment after what is typed.
  const pageCount = 4;
  const showEach = async (_: unknown, own: number) => {
    const page = await openScreen('/playground?user=anna');
    // By now the attributes are known that the editor completes.
    await recommended(page).first().waitFor();
    await page.getByRole('button', { name: 'Rules' }).click();
    const filter = page.getByRole('textbox', { name: 'Filter' });
    for (const payload of payloads.filter((_payload, index) => index % pageCount === own)) {
      await filter.click();
      await page.keyboard.press('Control+a');
      // Text, not keys: the editor would close brackets and complete words.
      await page.keyboard.insertText(`item.author.endsWith(${JSON.stringify(payload)})`);
      await recommended(page).first().getByText(payload).first().waitFor();
    }
  };
  await Promise.all(Array.from({ length: pageCount }, showEach));
});

test('two variants are compared side by side: what moved, what is new and what is gone', async () => {
  const client = shopClient();
  const project_id = inject('projectId');
  const name = 'only cheap';
  const filter_query = 'item.price < 15.0';
  await client.createScenario({ project_id, name, question: 'ITEMS_TO_USER', filter_query });
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByLabel('Scenario of the second list').selectOption(name);
  await page.waitForURL(/otherScenario=only/);
  const second = page.getByRole('region', { name: 'Compared with' });
  const shown = async (list: 'first' | 'second') => {
    const scenario = list === 'second' ? { scenario: name } : {};
    const asked = { project_id, user_id: 'anna', limit: 12, ...scenario };
    return (await client.recommendItemsToUser(asked)).results.map(({ item }) => item.item_id);
  };
  const [before, after] = [await shown('first'), await shown('second')];
  const fresh = after.filter((id) => !before.includes(id)).length;
  const gone = before.filter((id) => !after.includes(id)).length;
  expect(fresh).toBeGreaterThan(0);
  await second.getByText(`${fresh} new, ${gone} gone`).waitFor();
  expect(await second.getByText('new', { exact: true }).count()).toBe(fresh);
  const first = page.getByRole('region', { name: 'Recommendations' });
  expect(await first.getByText('gone', { exact: true }).count()).toBe(gone);
});

test('from the first screen to why an item was recommended in at most three clicks', async () => {
  let clicks = 0;
  const page = await open('/');
  const click = async (target: Locator) => {
    clicks++;
    await target.click();
  };
  await click(page.getByRole('link', { name: /^bookshop/ }));
  await click(page.getByRole('link', { name: /Open the playground/ }));
  const reason = recommended(page).first().locator('button[data-reason="item"]').first();
  await click(reason);
  await page
    .getByRole('region', { name: 'History' })
    .locator('li[data-highlighted="true"]')
    .first()
    .waitFor();
  expect(clicks).toBeLessThanOrEqual(3);
});

test('a filter is built of conditions, without writing an expression', async () => {
  const page = await openScreen('/playground?user=anna');
  await page.getByRole('button', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Conditions' }).click();
  const dialog = page.getByRole('dialog');
  const [first, second] = [1, 2].map((number) => dialog.getByRole('group', { name: `Condition ${number}` }));
  await first?.getByLabel('Attribute').selectOption('price');
  await first?.getByLabel('Operator').selectOption('less');
  await first?.getByLabel('Value').fill('18');
  await dialog.getByRole('button', { name: 'Add a condition' }).click();
  await second?.getByLabel('Attribute').selectOption('genres');
  await second?.getByLabel('Operator').selectOption('hasNot');
  await second?.getByLabel('Value').fill('Crime');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Use these conditions' }).click();
  await dialog.waitFor({ state: 'detached' });
  const expression = 'item.price < 18 && !("Crime" in item.genres)';
  const filter = page.getByRole('textbox', { name: 'Filter' });
  expect(await filter.inputValue()).toBe(expression);
  // What was built can be edited on, and the editor that takes the place of the plain field loses nothing.
  await filter.press('End');
  await page.keyboard.type(' && item.year > 1900', { delay: 20 });
  await filter.filter({ hasText: `${expression} && item.year > 1900` }).waitFor();
  // They are conditions again when the builder is opened again.
  await page.getByRole('button', { name: 'Conditions' }).click();
  expect(await second?.getByLabel('Value').inputValue()).toBe('Crime');
});
