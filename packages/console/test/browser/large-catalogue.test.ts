import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { newProject, shopClient } from './sdk-client.ts';

const { open, openScreen } = useConsole();

const users = 12_000;
const items = 20_000;
/** Far below a list of all items, which has megabytes. */
const maxBytes = 300_000;

/** A project with more users and items than any screen may read. */
async function newLargeProject(): Promise<string> {
  const client = shopClient();
  const { project_id, user_dataset_id, item_dataset_id } = await newProject('Large', {
    title_attribute: 'label',
  });
  await client.importUsers(
    user_dataset_id,
    Array.from({ length: users }, (_, n) => ({ user_id: `user-${n}`, attributes: { plan: 'free' } })),
  );
  await client.importItems(
    item_dataset_id,
    Array.from({ length: items }, (_, n) => ({
      item_id: `item-${n}`,
      attributes: { label: `Lamp of series ${n}`, price: n % 100 },
    })),
  );
  return project_id;
}

/** Counts what the page reads of the API. */
function watch(page: Page) {
  const paths: string[] = [];
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/assets/')) return;
    paths.push(pathname);
    sizes.push(
      response.body().then(
        ({ length }) => length,
        () => 0,
      ),
    );
  });
  return { paths, bytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
}

test('a large catalogue is browsed and searched without reading it', async () => {
  const project_id = await newLargeProject();
  const page = await open('/');
  const { paths, bytes } = watch(page);
  await page.goto(`${inject('baseUrl')}/accounts/${inject('accountId')}/projects/${project_id}/data`);
  const panel = page.getByRole('tabpanel');
  await panel.getByRole('listitem').nth(24).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await panel.getByRole('listitem').nth(49).waitFor();
  await page.getByRole('tab', { name: 'Items' }).click();
  await panel.getByRole('listitem').first().waitFor();
  // The last item by ID is found by words of its title, in any order and case.
  await page.getByLabel('Find items by title or ID').fill('19876 LAMP');
  await panel.getByRole('button', { name: /^Lamp of series 19876/ }).waitFor();
  await page.getByLabel('Find items by title or ID').fill('series');
  await panel.getByText('19,900 more').waitFor();
  expect(await panel.getByRole('listitem').count()).toBe(100);
  expect(await bytes()).toBeLessThan(maxBytes);
  // The counts of datasets are read again every 15 seconds.
  const lists = paths.filter((path) => !/^\/get-\w+-dataset$/.test(path));
  expect(lists.length).toBeLessThan(30);
}, 120_000);

test('the playground reads the items of a list in one call', async () => {
  const page = await openScreen('/data');
  const { paths, bytes } = watch(page);
  await page.goto(page.url().replace('/data', '/playground?user=anna'));
  await page.getByRole('list', { name: 'Reasons' }).first().waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByRole('listitem').nth(10).waitFor();
  // By now both lists have their titles: no ID of a book has a capital letter.
  await expect
    .poll(async () => /[A-Z]/.test((await history.getByRole('listitem').first().textContent()) ?? ''))
    .toBe(true);
  expect(paths).not.toContain('/get-dataset-item');
  // The history, the reasons, and one more while the first titles are still being guessed.
  expect(paths.filter((path) => path === '/find-items').length).toBeLessThanOrEqual(4);
  expect(paths.length).toBeLessThan(25);
  expect(await bytes()).toBeLessThan(maxBytes);
});
