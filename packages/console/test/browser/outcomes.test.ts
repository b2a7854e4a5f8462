import { expect, inject, test, vi } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { open } = useConsole();

/** The first events of a project are attributed at once, later ones every two minutes. A busy machine takes longer. */
const attributionMs = 240_000;

test('outcomes teach how to send them, then show what followed, and why one response was given', async () => {
  const shop = await shopClient().getProject({ project_id: inject('projectId') });
  // Events of its own: one of today would change what other tests see of the shop, whose events are older.
  const dataset = { name: 'outcomes', num_shards: 1 };
  const { event_dataset_id } = await shopClient().createEventDataset(dataset);
  const shown = { project_id: inject('projectId'), user_id: 'reader-0001', limit: 30 };
  const { results: books } = await shopClient().recommendItemsToUser(shown);
  const bought = Array.from({ length: 300 }, (_, n) => ({
    event_id: `bought-${n}`,
    user_id: `reader-${String(100 + (n % 60)).padStart(4, '0')}`,
    item_id: books[n % books.length]?.item.item_id ?? '',
    ts: Date.UTC(2025, 11, 1) + n * 60_000,
    event_type: 'buy',
  }));
  await shopClient().upsertDatasetEvents({ event_dataset_id, events: bought });
  const { project_id } = await shopClient().createProject({
    name: 'Outcomes',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    title_attribute: 'title',
    user_dataset_id: shop.user_dataset_id,
    item_dataset_id: shop.item_dataset_id,
    event_dataset_id,
  });
  const page = await open(`/accounts/${inject('accountId')}/projects/${project_id}/outcomes`);
  await page.getByText('No outcomes yet').waitFor();
  const code = await page.getByRole('tabpanel', { name: 'TypeScript' }).locator('pre').textContent();
  expect(code).toContain(event_dataset_id);
  expect(code).toContain('recommendation_id');

  const algorithm = {
    project_id,
    name: 'popular',
    algorithm_type: 'POPULAR',
    algorithm_parameters: {},
  } as const;
  const { algorithm_id } = await shopClient().createAlgorithm(algorithm);
  const training = await shopClient().submitTrainingJob({ project_id, algorithm_id, name: 'For outcomes' });
  const { job_result } = await shopClient().waitForJob({
    project_id,
    job_id: training.job_id,
    job_type: 'TRAINING',
  });
  const { model_id: generator_model_id } = job_result;
  const { job_id } = await shopClient().submitDeploymentJob({
    project_id,
    name: 'first',
    generator_model_id,
  });
  await shopClient().waitForJob({ project_id, job_id });
  const user_id = 'reader-0500';
  const answer = await shopClient().recommendItemsToUser({ project_id, user_id, limit: 3 });
  const { recommendation_id, results } = answer;
  const item_id = results[1]?.item.item_id ?? '';
  const event = {
    event_id: 'outcome-1',
    user_id,
    item_id,
    ts: Date.now(),
    event_type: 'buy',
    recommendation_id,
  };
  await shopClient().upsertDatasetEvents({ event_dataset_id, events: [event] });
  await vi.waitFor(
    async () => {
      const { totals } = await shopClient().getOutcomes({ project_id });
      expect(totals[0]?.converted.total).toBe(1);
    },
    { timeout: attributionMs, interval: 1000 },
  );

  await page.reload();
  await page.getByRole('img', { name: /^Responses with a click of \d+ days/ }).waitFor();
  await page.getByRole('row', { name: /default.*For outcomes.*1.*100/ }).waitFor();
  await page.getByLabel('Recommendation ID').fill(recommendation_id);
  await page.keyboard.press('Enter');
  const items = page.getByRole('list', { name: 'Recommended items' }).getByRole('listitem');
  await items.nth(2).waitFor();
  for (const [index, { item }] of results.entries())
    expect(await items.nth(index).textContent()).toContain(item.item_id);
  await page.getByRole('link', { name: user_id }).waitFor();
  await page.getByLabel('Recommendation ID').fill('rec_00000000000000000000000000');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('alert').waitFor();
}, 400_000);
