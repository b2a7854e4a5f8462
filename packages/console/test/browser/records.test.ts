import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { open, openScreen } = useConsole();

test('an item is edited, with the kinds of its values kept, and deleted', async () => {
  const { item_dataset_id } = await shopClient().getProject({ project_id: inject('projectId') });
  const item = { item_dataset_id, item_id: 'edited-1' };
  const attributes = { title: 'Edited volume', price: 12, genres: ['Crime'], isbn: '42' };
  await shopClient().upsertDatasetItems({ item_dataset_id, items: [{ item_id: item.item_id, attributes }] });
  const page = await openScreen('/data');
  await page.getByRole('tab', { name: 'Items' }).click();
  await page.getByLabel('Find items by title or ID').fill('edited-1');
  await page.getByRole('button', { name: /Edited volume/ }).click();
  const dialog = page.getByRole('dialog').first();
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Value of price').fill('ten');
  expect(await dialog.getByRole('button', { name: 'Save' }).isEnabled()).toBe(false);
  await dialog.getByLabel('Value of price').fill('10');
  await dialog.getByLabel('Value of genres').fill('Crime, Drama');
  await dialog.getByRole('button', { name: 'Remove title' }).click();
  await dialog.getByRole('button', { name: 'Add an attribute' }).click();
  await dialog.getByLabel('Name of attribute 4').fill('shelf');
  await dialog.getByLabel('Value of shelf').fill('A 7');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Crime, Drama').waitFor();
  expect((await shopClient().getDatasetItem(item)).attributes).toEqual({
    price: 10,
    genres: ['Crime', 'Drama'],
    isbn: '42',
    shelf: 'A 7',
  });
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: 'Delete edited-1?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect(shopClient().getDatasetItem(item)).rejects.toMatchObject({ status: 404 });
});

test('the retention of events is shown, set and removed', async () => {
  const client = shopClient();
  const shop = await client.getProject({ project_id: inject('projectId') });
  const { event_dataset_id } = await client.createEventDataset({ name: 'short-lived', num_shards: 1 });
  const { project_id } = await client.createProject({
    name: 'With a retention',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id: shop.user_dataset_id,
    item_dataset_id: shop.item_dataset_id,
    event_dataset_id,
  });
  const page = await open(`/accounts/${inject('accountId')}/projects/${project_id}/data`);
  const daysNow = async () => (await client.getEventDataset({ event_dataset_id })).retention_days;
  for (const [days, shown] of [
    ['90', 'Events are deleted after 90 days.'],
    ['', 'Events are kept until you delete them.'],
  ] as const) {
    await page.getByRole('button', { name: 'Change how long events are kept' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Days').fill(days);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(shown).waitFor();
    expect(await daysNow()).toBe(days === '' ? null : Number(days));
  }
  await client.deleteProject({ project_id });
});
