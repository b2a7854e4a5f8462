import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { payloads } from './payloads.ts';
import { shopClient } from './sdk-client.ts';

const { open, openScreen } = useConsole();
let attackedProject: string;

/** Everything that people name has a name that attacks the page: one project, scenario, person and key for each text. */
beforeAll(async () => {
  const client = shopClient();
  expect(payloads.length).toBeGreaterThanOrEqual(30);
  // Its own records: tests of other files count those of the bookshop.
  const size = { name: 'attacks', num_shards: 1 };
  const { user_dataset_id } = await client.createUserDataset(size);
  const { item_dataset_id } = await client.createItemDataset(size);
  const { event_dataset_id } = await client.createEventDataset(size);
  for (const [index, name] of payloads.entries()) {
    const { project_id } = await client.createProject({
      name,
      project_type: 'RECOMMEND_ITEMS_TO_USER',
      target_event_type: 'buy',
      user_dataset_id,
      item_dataset_id,
      event_dataset_id,
    });
    attackedProject = project_id;
    await client.createScenario({ project_id, name, question: 'ITEMS_TO_USER' });
    await client.invitePerson({ email: `attack-${index}@example.com`, name, role: 'VIEWER' });
    await client.createApiKey({ name, operations: ['/get-job'] });
    await client.upsertDatasetItems({
      item_dataset_id,
      items: [{ item_id: `attack-${index}`, attributes: { title: name, author: name, [name]: name } }],
    });
    await client.upsertDatasetUsers({
      user_dataset_id,
      users: [{ user_id: `attack ${name}`, attributes: { [name]: name } }],
    });
  }
}, 120_000);

const pathOf = (project: string) => `/accounts/${inject('accountId')}/projects/${project}`;

/** Every text is on the page, as text. The checks of `useConsole` then find out whether one of them ran. */
async function expectShown(page: Page, texts: readonly string[] = payloads): Promise<void> {
  for (const text of texts)
    await page.getByText(text, { exact: false }).first().waitFor({ state: 'attached' });
}

test('names of projects are text, in the list and in the menu', async () => {
  const page = await open('/');
  await expectShown(page);
  await page.goto(inject('baseUrl') + pathOf(attackedProject));
  await page.getByRole('button', { name: /^Project/ }).click();
  await page.getByRole('menu').waitFor();
  await expectShown(page);
});

test.each(['keys', 'people'])('names are text in the tab "%s" of Operations', async (tab) => {
  const page = await openScreen(`/operations?tab=${tab}`);
  await page.getByRole('row').nth(payloads.length).waitFor();
  await expectShown(page);
});

test('names are text in the audit log, and in its filters', async () => {
  const page = await openScreen('/operations?tab=audit');
  await page.getByRole('row').nth(20).waitFor();
  await page.getByLabel('What').selectOption('/create-api-key');
  await expectShown(page);
});

test('names of people and keys are text in the dialogs that ask about them', async () => {
  for (const [index, name] of payloads.slice(0, 6).entries()) {
    const page = await openScreen('/operations?tab=people');
    const row = page.getByRole('row').filter({ hasText: `attack-${index}@example.com` });
    await row.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog').getByText(name).first().waitFor();
    await page.keyboard.press('Escape');
    await page.close();
  }
});

test('titles, attributes and IDs of records are text, in lists and details', async () => {
  const page = await open(`${pathOf(attackedProject)}/data`);
  await page.getByLabel('Find users by the start of their ID').fill('attack ');
  await page
    .getByRole('button', { name: /^attack / })
    .first()
    .waitFor();
  for (const index of [0, 2, 8, 15]) {
    await page.getByLabel('Find users by the start of their ID').fill(`attack ${payloads[index]}`);
    await page
      .getByRole('button', { name: `attack ${payloads[index]}` })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByText(payloads[index] ?? '')
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  }
  await page.getByRole('tab', { name: 'Items' }).click();
  for (const index of [0, 1, 6, 20]) {
    await page.getByLabel('Find items by title or ID').fill(`attack-${index}`);
    await page.getByRole('button', { name: new RegExp(`attack-${index}$`) }).click();
    await page
      .getByRole('dialog')
      .getByText(payloads[index] ?? '')
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  }
});

test('what an address contains is text, or nothing', async () => {
  const page = await open('/sign-in', { signedOut: true });
  for (const payload of payloads) {
    const text = encodeURIComponent(payload);
    await page.goto(`${inject('baseUrl')}/sign-in?error=${text}&next=${text}`);
    await page.getByRole('alert').waitFor();
  }
  const inside = await openScreen('/operations');
  const { pathname } = new URL(inside.url());
  for (const payload of payloads.slice(0, 12)) {
    await inside.goto(`${inject('baseUrl')}${pathname}?tab=${encodeURIComponent(payload)}`);
    await inside.getByRole('tab', { name: 'Jobs' }).waitFor();
    await inside.goto(
      `${inject('baseUrl')}${pathname.replace('/operations', '/playground')}?user=${encodeURIComponent(payload)}`,
    );
    await inside.getByRole('heading', { name: 'Playground' }).waitFor();
  }
}, 300_000);
