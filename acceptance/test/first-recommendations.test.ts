import { JobFailedError } from '@tastegraph/sdk';
import { expect, test } from 'vitest';
import { client, createAlgorithm, createProject } from './client.ts';

/** Readers of two kinds of books; each reads only one kind. */
const readers = 80;
const books = 30;

function readings() {
  return Array.from({ length: readers * 8 }, (_, index) => {
    const reader = index % readers;
    const step = Math.floor(index / readers);
    const book = ((reader * 3 + step * 2) % (books / 2)) * 2 + (reader % 2);
    const ts = 1_750_000_000_000 + index * 60_000;
    return { event_id: `r${index}`, user_id: `u${reader}`, item_id: `b${book}`, ts, event_type: 'read' };
  });
}

test('from records to recommendations', async () => {
  const { user_dataset_id } = await client.createUserDataset({ name: 'readers', num_shards: 1 });
  const { item_dataset_id } = await client.createItemDataset({ name: 'books', num_shards: 1 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'readings', num_shards: 1 });
  const items = Array.from({ length: books }, (_, book) => ({
    item_id: `b${book}`,
    attributes: { kind: book % 2 === 0 ? 'crime' : 'travel' },
  }));
  await client.upsertDatasetItems({ item_dataset_id, items });
  await client.upsertDatasetEvents({ event_dataset_id, events: readings() });
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const project_id = await createProject('books', 'read', datasets);
  expect(await client.checkTraining({ project_id })).toMatchObject({ can_train: true });
  const algorithm_id = await createAlgorithm(project_id, 'G1');

  const training = await client.submitTrainingJob({ project_id, algorithm_id, name: 'spring' });
  const stages = new Set<string>();
  const trained = await client.waitForJob(
    { project_id, job_id: training.job_id, job_type: 'TRAINING' },
    { timeoutMs: 60_000, onProgress: ({ job_status }) => stages.add(job_status) },
  );
  expect(trained).toMatchObject({ job_status: 'SUCCEED', error: null });
  expect([...stages].at(-1)).toBe('SUCCEED');

  const { models } = await client.listModels({ project_id });
  expect(models).toMatchObject([{ name: 'spring', algorithm_type: 'G1', algorithm_parameters: {} }]);
  for (const { training } of models)
    expect(training.metrics.model.ndcg_at_20.low).toBeGreaterThan(
      training.metrics.popularity.ndcg_at_20.high,
    );

  const { model_id } = trained.job_result;
  await queryAndCluster(project_id, model_id);
  const deployment = { project_id, name: 'spring', generator_model_id: model_id, qps: 100 };
  const { job_id } = await client.submitDeploymentJob(deployment);
  const { serving_uri } = await client.getProject({ project_id });
  const ref = { project_id, job_id, job_type: 'DEPLOYMENT' } as const;
  const deployed = await client.waitForJob(ref, { timeoutMs: 60_000 });
  expect(deployed.job_result).toEqual({ serving_uri });

  const request = { user_id: 'newcomer', attributes: ['kind'], limit: 3, project_id };
  const readNow = { event_id: 'now', user_id: 'newcomer', item_id: 'b1', ts: Date.now(), event_type: 'read' };
  await client.upsertDatasetEvents({ event_dataset_id, events: [readNow] });
  const { results } = await client.recommendItemsToUser(request);
  expect(results.map(({ item }) => item['kind'])).toEqual(['travel', 'travel', 'travel']);
  expect(results.map(({ item }) => item.item_id)).not.toContain('b1');
  const filtered = await client.recommendItemsToUser({ ...request, filter_query: 'item.kind == "crime"' });
  expect(filtered.results.map(({ item }) => item['kind'])).toEqual(['crime', 'crime', 'crime']);

  // At one query per second, two of three concurrent calls are refused with Retry-After, and the client retries them.
  const slow = await client.submitDeploymentJob({ ...deployment, qps: 1 });
  await client.waitForJob({ project_id, job_id: slow.job_id }, { timeoutMs: 60_000 });
  const patient = Array.from({ length: 3 }, () => client.recommendItemsToUser(request));
  for (const response of await Promise.all(patient)) expect(response.results).toHaveLength(3);
  const impatient = Array.from({ length: 3 }, () => client.recommendItemsToUser(request, { maxRetries: 0 }));
  const refused = (await Promise.allSettled(impatient)).filter(({ status }) => status === 'rejected');
  expect(refused[0]).toMatchObject({ reason: { code: 'QPS_EXCEEDED', retryAfterSeconds: 1 } });

  // A training without target events fails, with the reason.
  const other = await createProject('no borrowings', 'borrow', datasets);
  const doomed = { project_id: other, algorithm_id: await createAlgorithm(other, 'G1'), name: 'doomed' };
  const { job_id: doomedJob } = await client.submitTrainingJob(doomed);
  const failure = await client
    .waitForJob({ project_id: other, job_id: doomedJob }, { timeoutMs: 60_000 })
    .catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(JobFailedError);
  expect(failure).toMatchObject({ job: { job_status: 'FAILED', retry_count: 0 } });

  await client.shutdownDeployment({ project_id });
  await expect(client.recommendItemsToUser(request)).rejects.toMatchObject({ code: 'PROJECT_NOT_DEPLOYED' });
});

/** Queries and clusters users. Results are downloaded by their URL, without a token. */
async function queryAndCluster(project_id: string, model_id: string): Promise<void> {
  const about = { project_id, model_id };
  const travellers = await client.submitQueryingJob({
    ...about,
    name: 'travellers',
    query_type: 'user_list',
    queries: [{ conditions: [{ attribute: 'kind', value: 'travel', lower_bound: 0.8 }] }],
  });
  const listed = await client.waitForJob({ project_id, job_id: travellers.job_id, job_type: 'QUERYING' });
  const [head, ...users] = await linesOf(listed.job_result.download_url);
  expect(head).toMatchObject({ query: 0, user_count: readers / 2 });
  expect(users).toHaveLength(readers / 2);
  for (const { user_id } of users) expect(Number(String(user_id).slice(1)) % 2).toBe(1);

  const spread = await client.submitQueryingJob({
    ...about,
    name: 'spread',
    query_type: 'user_distribution',
    queries: [{ attribute: 'kind', value: 'crime', bins: 2 }],
  });
  const drawn = await client.waitForJob({ project_id, job_id: spread.job_id, job_type: 'QUERYING' });
  expect(await (await fetch(drawn.job_result.download_url)).json()).toMatchObject({
    distributions: [{ counts: [readers / 2, readers / 2], edges: [0, 0.5, 1] }],
  });
  expect(await (await fetch(drawn.job_result.chart_urls?.[0] ?? '')).text()).toContain('kind = crime');

  const grouping = { name: 'kinds', cluster_type: 'user', parameters: { max_clusters: 2 } } as const;
  const { job_id } = await client.submitClusteringJob({ ...about, ...grouping });
  const grouped = await client.waitForJob({ project_id, job_id, job_type: 'CLUSTERING' });
  const [whole, first, second, ...members] = await linesOf(grouped.job_result.download_url);
  expect(whole).toEqual({ clusters: 2, users: readers, unassigned: 0 });
  for (const { user_id, cluster_id } of members) {
    const isTraveller = Number(String(user_id).slice(1)) % 2 === 1;
    const group = [first, second].find((each) => each?.['cluster_id'] === cluster_id);
    expect(group).toMatchObject({ attributes: [{ value: isTraveller ? 'travel' : 'crime' }] });
  }

  const misnamed = client.submitQueryingJob({
    ...about,
    name: 'misnamed',
    query_type: 'user_distribution',
    queries: [{ attribute: 'Kinds', value: 'crime' }],
  });
  await expect(misnamed).rejects.toThrow('did you mean "kind"?');
}

async function linesOf(url: string): Promise<Record<string, unknown>[]> {
  const lines = (await (await fetch(url)).text()).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
