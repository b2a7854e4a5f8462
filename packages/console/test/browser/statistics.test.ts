import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { openScreen } = useConsole();
const project_id = () => inject('projectId');

const calls = 25;
/** Counts are written every ten seconds; a busy machine takes longer. */
const flushMs = 60_000;

beforeAll(async () => {
  const before = (await shopClient().getProjectStatistics({ project_id: project_id() })).total.calls;
  for (let call = 0; call < calls; call++)
    await shopClient().recommendItemsToUser({ project_id: project_id(), user_id: `reader-0${100 + call}` });
  await vi.waitFor(
    async () => {
      const { total } = await shopClient().getProjectStatistics({ project_id: project_id() });
      expect(total.calls).toBeGreaterThanOrEqual(before + calls);
    },
    { timeout: flushMs, interval: 1000 },
  );
}, 2 * flushMs);

const cardOf = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

test('the overview shows calls with errors and response times, and events per day by type', async () => {
  const page = await openScreen('');
  const callsCard = cardOf(page, 'Calls').last();
  await callsCard.getByRole('img', { name: /^Calls per hour/ }).waitFor();
  await callsCard.getByRole('img', { name: /^Response time/ }).waitFor();
  await callsCard.getByLabel('Time range').selectOption('month');
  await callsCard.getByRole('img', { name: /^Calls per day/ }).waitFor();
  await callsCard.getByText('As a table').first().click();
  const rows = callsCard.getByRole('region', { name: 'Calls per day' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(31);

  const eventsCard = cardOf(page, 'Events per day');
  await eventsCard.getByRole('img', { name: /^Events per day/ }).waitFor();
  await eventsCard.getByRole('list', { name: 'Legend' }).getByText('view').waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test('usage is shown against the plan, by project and key', async () => {
  const page = await openScreen('/operations');
  await page.getByRole('tab', { name: 'Usage' }).click();
  await page.getByRole('meter', { name: 'Projects' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: inject('apiKey') });
  await row.filter({ hasText: 'bookshop' }).first().waitFor();
  const { calls: counted } = await shopClient().getUsage({});
  const own = counted.find((one) => one.project_id === project_id() && one.caller_id === inject('apiKey'));
  expect(own?.recommendations).toBeGreaterThanOrEqual(calls);
  await page.waitForURL(/tab=usage/);
});

test('models are compared over time and side by side', async () => {
  const { algorithm_id } = await shopClient().createAlgorithm({
    project_id: project_id(),
    name: 'popular',
    algorithm_type: 'POPULAR',
    algorithm_parameters: {},
  });
  const { job_id } = await shopClient().submitTrainingJob({
    project_id: project_id(),
    algorithm_id,
    name: 'What is popular',
  });
  await shopClient().waitForJob({ project_id: project_id(), job_id });
  const page = await openScreen('/models');
  await page.getByRole('img', { name: /^NDCG@20 of \d+ models/ }).waitFor();
  await page.getByLabel('Metric', { exact: true }).selectOption('coverage');
  await page.getByRole('img', { name: /^Coverage of \d+ models/ }).waitFor();
  await page.getByRole('button', { name: 'What is popular', exact: true }).click();
  await page.getByRole('button', { name: 'Compare' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row', { name: /Algorithm.*POPULAR.*G1|Algorithm.*POPULAR.*POPULAR/ }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test('each dataset shows how full it is and how it grows', async () => {
  const page = await openScreen('/data');
  await page.getByRole('meter', { name: 'events of the maximum' }).waitFor();
  await page
    .getByText(/Growth is shown|in \d+ days?/)
    .first()
    .waitFor();
});
