import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { open } = useConsole();

/** Another project on the bookshop's datasets, which no other test looks at. */
async function newProject() {
  const client = shopClient();
  const shop = await client.getProject({ project_id: inject('projectId') });
  const { project_id } = await client.createProject({
    name: 'To be changed',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id: shop.user_dataset_id,
    item_dataset_id: shop.item_dataset_id,
    event_dataset_id: shop.event_dataset_id,
  });
  return { client, project_id };
}

test('the attribute that the project names is the title of its items on every screen', async () => {
  const { client, project_id } = await newProject();
  const page = await open(`/accounts/${inject('accountId')}/projects/${project_id}/data`);
  await page.getByRole('tab', { name: 'Items' }).click();
  const list = page.getByRole('tabpanel', { name: 'Items' });
  // The titles of books are guessed first.
  await list.getByRole('button', { name: 'A Blade', exact: false }).first().waitFor();
  await page.getByRole('button', { name: /^Project/ }).click();
  await page.getByRole('menuitem', { name: 'Project settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title of an item').selectOption('author');
  await dialog.getByLabel('Name').fill('Changed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { title_attribute, name, item_dataset_id } = await client.getProject({ project_id });
  expect({ title_attribute, name }).toEqual({ title_attribute: 'author', name: 'Changed' });
  const { items } = await client.listDatasetItems({ item_dataset_id, page_size: 1 });
  const author = String(items[0]?.attributes['author']);
  await list.getByText(author, { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Project Changed' }).waitFor();
});

test('a project is deleted once its name is typed, and its datasets stay', async () => {
  const { client, project_id } = await newProject();
  const { item_dataset_id } = await client.getProject({ project_id });
  const page = await open(`/accounts/${inject('accountId')}/projects/${project_id}/models`);
  await page.getByRole('button', { name: /^Project/ }).click();
  await page.getByRole('menuitem', { name: 'Project settings' }).click();
  await page.getByRole('button', { name: 'Delete the project' }).click();
  const confirm = page.getByRole('dialog', { name: /^Delete/ });
  const remove = confirm.getByRole('button', { name: 'Delete', exact: true });
  expect(await remove.isDisabled()).toBe(true);
  await confirm.getByLabel(/^Type/).fill('To be changed');
  await remove.click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await expect(client.getProject({ project_id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { items } = await client.listDatasetItems({ item_dataset_id, page_size: 1 });
  expect(items).toHaveLength(1);
});
