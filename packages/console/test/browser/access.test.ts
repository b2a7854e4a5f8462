import { Tastegraph } from '@tastegraph/sdk';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { open, openScreen } = useConsole();

test('a key is created for what a program needs, its secret is shown once, and it is revoked', async () => {
  const page = await openScreen('/operations?tab=keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Newsletter');
  await dialog.getByLabel('What may it do?').selectOption('recommend');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = await dialog.getByRole('group', { name: 'Secret' }).textContent();
  const apiKey = await dialog.getByRole('group', { name: 'API key' }).textContent();
  expect(secret).toMatch(/^tgs_/);
  // It works, for what was chosen.
  const program = new Tastegraph({
    baseUrl: inject('baseUrl'),
    apiKey: apiKey ?? '',
    apiSecret: secret ?? '',
  });
  const project_id = inject('projectId');
  const { recommendation_id } = await program.recommendItemsToUser({ project_id, user_id: 'anna' });
  expect(recommendation_id).toMatch(/^rec_/);
  await expect(program.listProjects()).rejects.toThrow();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row', { name: /Newsletter/ });
  await row.getByText('4 operations').waitFor();
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
  expect(stored).not.toContain(secret);
  expect(await page.content()).not.toContain(secret);
  await page.reload();
  await row.waitFor();
  expect(await page.content()).not.toContain(secret);
  await row.getByRole('button', { name: 'Revoke Newsletter' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByLabel('Show revoked').check();
  await row.getByText('revoked', { exact: true }).waitFor();
});

test("a write key is created for the project's datasets, is shown once, and can only be renamed", async () => {
  const page = await openScreen('/operations?tab=keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Clickstream');
  await dialog.getByLabel('What may it do?').selectOption('write');
  await dialog.getByLabel('Also write the traits of users').check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const writeKey = (await dialog.getByRole('group', { name: 'Write key' }).textContent()) ?? '';
  const { api_keys } = await shopClient().listApiKeys({});
  const { event_dataset_id, user_dataset_id } = await shopClient().getProject({
    project_id: inject('projectId'),
  });
  const created = api_keys.find(({ api_key }) => writeKey.startsWith(api_key));
  expect(created).toMatchObject({ name: 'Clickstream', event_dataset_id, user_dataset_id });
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('row', { name: /Clickstream/ })
    .getByText('writes events and users')
    .waitFor();
  expect(await page.content()).not.toContain(writeKey);
  await page.getByRole('button', { name: 'Change Clickstream' }).click();
  await dialog.getByLabel('Name').fill('Web clickstream');
  expect(await dialog.getByLabel('Find operations').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Web clickstream/ }).waitFor();
});

test('a key is limited to chosen operations', async () => {
  const { api_key } = await shopClient().createApiKey({ name: 'To be limited' });
  const page = await openScreen('/operations?tab=keys');
  await page.getByRole('button', { name: 'Change To be limited' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Find operations').fill('get job');
  await dialog.getByRole('checkbox', { name: 'Get job' }).uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { operations } = await shopClient().getApiKey({ api_key });
  expect(operations?.length).toBeGreaterThan(50);
  expect(operations).not.toContain('/get-job');
});

test('a person is invited with a link that signs them in, gets another role, and is removed', async () => {
  const page = await openScreen('/operations?tab=people');
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('victor@example.com');
  await dialog.getByLabel('Name').fill('Victor');
  await dialog.getByLabel('Role').selectOption('VIEWER');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const link = (await dialog.getByRole('group', { name: /^Link for/ }).textContent()) ?? '';
  const invited = await open(link.replace(inject('baseUrl'), ''), { signedOut: true });
  await invited.getByRole('button', { name: 'Signed in as Victor' }).waitFor();
  // A viewer has only the tabs that they may look at.
  await invited.goto(`${inject('baseUrl')}${new URL(page.url()).pathname}?tab=people`);
  await invited.getByRole('tab', { name: 'Jobs' }).waitFor();
  const shown = ['Jobs', 'Schedules', 'Webhooks'];
  expect(await invited.getByRole('tab').allTextContents()).toEqual(shown);

  await dialog.getByRole('button', { name: 'Done' }).click();
  const role = page.getByLabel('Role of Victor');
  await role.selectOption('OPERATOR');
  await expect
    .poll(async () => (await shopClient().listPeople({})).people.find(({ name }) => name === 'Victor')?.role)
    .toBe('OPERATOR');
  await expect
    .poll(async () => {
      await invited.reload();
      await invited.getByRole('tab', { name: 'Jobs' }).waitFor();
      return invited.getByRole('tab').count();
    })
    .toBeGreaterThan(shown.length);
  await invited.evaluate(async (accountId) => {
    const { csrf_token } = (await (await fetch('/console/session')).json()) as { csrf_token: string };
    const headers = {
      'Content-Type': 'application/json',
      'Tastegraph-Csrf': csrf_token,
      'Tastegraph-Account': accountId,
    };
    const body = JSON.stringify({ name: 'Left behind', operations: ['/get-job'] });
    await fetch('/create-api-key', { method: 'POST', headers, body });
  }, inject('accountId'));
  await page.getByRole('button', { name: 'Remove Victor' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  const left = page.getByRole('dialog', { name: 'Victor was removed' });
  await left.getByText('Left behind').waitFor();
  await left.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Victor/ }).waitFor({ state: 'detached' });
});

test('the last owner cannot give the account away, and the screen says why', async () => {
  const { people } = await shopClient().listPeople({});
  const owners = people.filter(({ role }) => role === 'OWNER');
  expect(owners).toHaveLength(1);
  const page = await openScreen('/operations?tab=people');
  const role = page.getByLabel(`Role of ${owners[0]?.name ?? ''}`);
  await role.selectOption('VIEWER');
  await page.getByRole('alert').waitFor();
  await expect.poll(() => role.inputValue()).toBe('OWNER');
});

test('changes are found in the audit log by who and what, with names', async () => {
  for (let n = 0; n < 55; n++) {
    const { api_key } = await shopClient().createApiKey({ name: `Rotated ${n}`, operations: ['/get-job'] });
    await shopClient().revokeApiKey({ api_key });
  }
  const page = await openScreen('/operations?tab=audit');
  const rows = page.getByRole('row');
  await rows.nth(50).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await rows.nth(90).waitFor();
  await page.getByLabel('What').selectOption('/revoke-api-key');
  await page.getByRole('cell', { name: 'Rotated 54' }).waitFor();
  await page.getByRole('cell', { name: 'Create API key' }).first().waitFor({ state: 'detached' });
  await page.getByLabel('What').selectOption('/delete-item-dataset');
  await page.getByText('No such changes').waitFor();
});

test('a user is erased after the ID was typed again, and the receipt says what was removed', async () => {
  const { user_dataset_id } = await shopClient().getProject({ project_id: inject('projectId') });
  await shopClient().upsertDatasetUsers({ user_dataset_id, users: [{ user_id: 'to-be-erased' }] });
  const page = await openScreen('/operations?tab=erasure');
  await page.getByLabel('User ID').fill('to-be-erased');
  await page.getByRole('button', { name: 'Erase…' }).click();
  const dialog = page.getByRole('dialog');
  const erase = dialog.getByRole('button', { name: 'Erase' });
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel('Type to-be-erased to confirm').fill('to-be-eras');
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel('Type to-be-erased to confirm').fill('to-be-erased');
  await erase.click();
  await page.getByText('1 user record', { exact: true }).waitFor();
  await page.getByRole('cell', { name: /^Backups of the database/ }).waitFor();
  await page.getByText('done', { exact: true }).waitFor({ timeout: 40_000 });
  await expect(shopClient().getDatasetUser({ user_dataset_id, user_id: 'to-be-erased' })).rejects.toThrow();
});
