import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { openScreen } = useConsole();

test('a schedule is created, edited, run now, paused and deleted', async () => {
  const project_id = inject('projectId');
  const found = async () =>
    (await shopClient().listSchedules({ project_id })).schedules.find(({ name }) => name === 'Every Sunday');
  const page = await openScreen('/operations?tab=schedules');
  await page.getByRole('button', { name: 'New schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Every Sunday');
  await dialog.getByLabel('When').selectOption('other');
  await dialog.getByLabel('Cron expression').fill('70 3 * * 0');
  await dialog.getByLabel('Time zone').fill('Europe/Berlin');
  await dialog.getByRole('button', { name: 'Create' }).click();
  // A minute has no 70: the service says so, and nothing is lost.
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Cron expression').fill('10 3 * * 0');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect
    .poll(async () => (await found())?.what)
    .toEqual({ job_type: 'TRAINING', deploy: true, guard: { max_loss: 0.01 } });
  await page.getByRole('button', { name: 'Edit Every Sunday' }).click();
  expect(await dialog.getByLabel('Cron expression').inputValue()).toBe('10 3 * * 0');
  await dialog.getByLabel('Cron expression').fill('20 3 * * 0');
  await dialog.getByRole('checkbox', { name: 'Deploy the model' }).uncheck();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await found()).toMatchObject({ cron: '20 3 * * 0', what: { job_type: 'TRAINING', deploy: false } });
  await page.getByRole('button', { name: 'Run Every Sunday now' }).click();
  await expect.poll(async () => (await found())?.last_run?.job_id, { timeout: 20_000 }).toMatch(/^job_/);
  await page.getByRole('button', { name: 'Pause Every Sunday' }).click();
  await page.getByRole('button', { name: 'Resume Every Sunday' }).waitFor();
  expect(await found()).toMatchObject({
    cron: '20 3 * * 0',
    time_zone: 'Europe/Berlin',
    paused: true,
  });
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete Every Sunday' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await found()).toBeUndefined();
});

test('a webhook shows its secret once, and is edited, disabled and deleted', async () => {
  // A name that never resolves: nothing leaves the machine.
  const url = 'https://hooks.invalid/console';
  const found = async () => (await shopClient().listWebhooks()).webhooks.find((one) => one.url === url);
  const page = await openScreen('/operations?tab=webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(url);
  await dialog.getByRole('checkbox', { name: 'A dataset is nearly full' }).check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = (await dialog.getByRole('group', { name: 'Secret' }).textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(secret);
  expect(await found()).toMatchObject({
    enabled: true,
    events: expect.arrayContaining(['job.ended', 'guard.refused', 'dataset.nearly_full']) as string[],
  });
  await page.getByRole('button', { name: `Edit ${url}` }).click();
  await dialog.getByRole('checkbox', { name: 'A job ended' }).uncheck();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await found())?.events.toSorted()).toEqual(['dataset.nearly_full', 'guard.refused']);
  await page.getByRole('button', { name: `Disable ${url}` }).click();
  await page.getByRole('button', { name: `Enable ${url}` }).waitFor();
  expect(await found()).toMatchObject({ enabled: false, disabled_reason: null });
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: `Delete ${url}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await found()).toBeUndefined();
});
