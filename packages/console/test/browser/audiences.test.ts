import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';
import { violationsOf } from './violations.ts';

const { openScreen } = useConsole();

/** Jobs take seconds, or longer on a busy machine. */
const jobMs = 60_000;

/** The result of the newest job with this name. */
async function resultOf(job_type: 'CLUSTERING' | 'QUERYING', name: string) {
  const project_id = inject('projectId');
  const { jobs } = await shopClient().listJobs({ project_id, job_type });
  const job_id = jobs.find((job) => job.name === name)?.job_id ?? '';
  const { job_result } = await shopClient().getJob({ project_id, job_id });
  if (!job_result || !('download_url' in job_result)) throw new Error('The job has no files.');
  return job_result;
}

/** Whether ECharts has painted anything on its canvas. */
const isPainted = (page: Page) =>
  page.locator('canvas').evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const pixels = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
    return pixels?.some((value) => value !== 0) ?? false;
  });

test('users are clustered, drawn as a map, and each cluster says what sets it apart', async () => {
  const page = await openScreen('/audiences');
  await page.getByRole('button', { name: 'Cluster users' }).first().click();
  await page.getByLabel('Name').fill('Clusters of the test');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start clustering' }).click();
  await page.getByRole('heading', { name: 'Map of clusters' }).waitFor({ timeout: jobMs });
  await expect.poll(() => isPainted(page), { timeout: 20_000 }).toBe(true);

  const { map_url = '' } = await resultOf('CLUSTERING', 'Clusters of the test');
  const map = (await (await fetch(map_url)).json()) as {
    clusters: { size: number; attributes: { value: unknown }[] }[];
  };
  const rows = page.getByRole('region', { name: 'Map of clusters' }).getByRole('rowheader');
  expect(await rows.count()).toBe(map.clusters.length);
  const second = map.clusters[1];
  await rows.nth(1).getByRole('button').focus();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { name: String(second?.attributes[0]?.value), level: 2 });
  await heading.waitFor();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Show all' }).click();
  expect(await violationsOf(page)).toEqual([]);

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'All users by cluster' }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^clusters-.*\.csv$/);
});

test('affinity is measured, a range of it is chosen, and its users are listed', async () => {
  const page = await openScreen('/audiences?tab=affinity');
  await page.getByRole('button', { name: 'Measure affinity' }).first().click();
  const field = page.getByRole('combobox', { name: 'Add a value' });
  await field.fill('Crime');
  await page.getByRole('listbox', { name: 'Add a value' }).getByRole('option', { name: 'Crime' }).click();
  await field.fill('Travel');
  await field.press('Enter');
  await page.getByRole('button', { name: 'Remove Travel' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { name: 'genres: Crime' }).waitFor({ timeout: jobMs });
  await expect.poll(() => isPainted(page), { timeout: 20_000 }).toBe(true);
  await page.getByText('As a table').click();
  expect(await page.getByRole('region', { name: 'Bins' }).getByRole('row').count()).toBe(21);
  expect(await violationsOf(page)).toEqual([]);

  await page.getByLabel('From (%)').fill('40');
  await page.getByRole('button', { name: 'List these users' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Crime readers of the test');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'User lists' }).click();
  await page.getByRole('link', { name: 'Download all users' }).waitFor({ timeout: jobMs });
  const { download_url } = await resultOf('QUERYING', 'Crime readers of the test');
  const [head = '', first = ''] = (await (await fetch(download_url)).text()).split('\n');
  const { user_count } = JSON.parse(head) as { user_count: number };
  const { user_id } = JSON.parse(first) as { user_id: string };
  await page.getByRole('heading', { name: `${user_count} users` }).waitFor();
  await page.getByRole('link', { name: user_id, exact: true }).click();
  await page.waitForURL(/playground\?user=/);
});
