import { expect, inject, test } from 'vitest';
import { formatBytes, formatSeconds } from '../../src/format.ts';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { openScreen } = useConsole();

test('the overview shows every stage and leads on to the playground', async () => {
  const page = await openScreen('');
  await page.getByText('41.4K').waitFor();
  for (const name of ['Data', 'Training', 'Deployment', 'Calls'])
    await page.locator('ol').getByRole('heading', { name, exact: true }).waitFor();
  // Another test may have trained a newer model, which is then compared first.
  await page.getByRole('link', { name: /Open the playground|Compare models/ }).waitFor();
  await page.getByRole('link', { name: 'Playground', exact: true }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
});

test('a user is found among the data, with attributes and newest events', async () => {
  const page = await openScreen('/data');
  // Other tests add some.
  await page
    .getByText(/^2,0\d\d$/)
    .first()
    .waitFor();
  await page.getByLabel('Find users by the start of their ID').fill('reader-01');
  await page.getByRole('button', { name: /^anna/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^reader-0100/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('age_group').waitFor();
  await dialog.getByRole('region', { name: 'History' }).getByRole('listitem').first().waitFor();
  await dialog.getByRole('link', { name: 'Recommend to this user' }).click();
  await page.waitForURL(/playground\?user=reader-0100/);
});

test('lists show more on demand, never all', async () => {
  const page = await openScreen('/data');
  const users = page.getByRole('tabpanel', { name: 'Users' }).getByRole('listitem');
  await users.nth(24).waitFor();
  expect(await users.count()).toBe(25);
  await page.getByRole('button', { name: 'Show more' }).click();
  await users.nth(49).waitFor();
});

test('a model is shown beside popularity, with what each event type is worth', async () => {
  const page = await openScreen('/models');
  const { models } = await shopClient().listModels({ project_id: inject('projectId') });
  const first = models.at(-1);
  await page.getByRole('button', { name: 'first', exact: true }).click();
  const shown = `${((first?.training.metrics.model.ndcg_at_20.value ?? 0) * 100).toFixed(1)} %`;
  await page.getByRole('cell', { name: shown }).first().waitFor();
  await page.getByRole('rowheader', { name: 'Popularity' }).first().waitFor();
  await page.getByRole('rowheader', { name: 'view' }).waitFor();
});

test('what a training takes is said before it starts, for the algorithm that is chosen', async () => {
  const client = shopClient();
  const project_id = inject('projectId');
  const { algorithm_id } = await client.createAlgorithm({
    project_id,
    name: 'popular',
    algorithm_type: 'POPULAR',
    algorithm_parameters: {},
  });
  const { estimate: personal } = await client.checkTraining({ project_id });
  const { estimate: popular } = await client.checkTraining({ project_id, algorithm_id });
  expect(formatBytes(popular.memory_bytes)).not.toBe(formatBytes(personal.memory_bytes));
  const page = await openScreen('/models');
  await page.getByRole('button', { name: 'Train a model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(formatBytes(personal.memory_bytes)).waitFor();
  await dialog.getByText(`about ${formatSeconds(personal.seconds)}`).waitFor();
  await dialog.getByLabel('Algorithm').selectOption('POPULAR');
  await dialog.getByText(formatBytes(popular.memory_bytes)).waitFor();
});

test('a training is started, seen with its stage, and canceled', async () => {
  const page = await openScreen('/models');
  await page.getByRole('button', { name: 'Train a model' }).click();
  await page.getByLabel('Name').fill('To be canceled');
  await page.getByRole('dialog').getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('button', { name: 'Cancel To be canceled' }).click();
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByLabel('Status').selectOption('CANCELED');
  await page
    .getByRole('row', { name: /To be canceled/ })
    .getByText('canceled', { exact: true })
    .waitFor();
});

test('a job that failed says why', async () => {
  const { project_id, user_dataset_id, item_dataset_id } = await shopClient().getProject({
    project_id: inject('projectId'),
  });
  const { event_dataset_id } = await shopClient().createEventDataset({ name: 'no events', num_shards: 1 });
  const empty = await shopClient().createProject({
    name: 'Empty',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
  });
  const { algorithm_id } = await shopClient().createAlgorithm({
    project_id: empty.project_id,
    name: 'g1',
    algorithm_type: 'G1',
    algorithm_parameters: {},
  });
  const { job_id } = await shopClient().submitTrainingJob({
    project_id: empty.project_id,
    algorithm_id,
    name: 'Nothing to learn',
  });
  const page = await openScreen('/operations');
  await page.goto(page.url().replace(project_id, empty.project_id));
  const row = page.getByRole('row', { name: /Nothing to learn.*failed/ });
  await row.waitFor();
  const { error } = await shopClient().getJob({ project_id: empty.project_id, job_id });
  await row.getByText(error?.message ?? 'no reason').waitFor();
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByText('No model is deployed').waitFor();
});
