import type { Request } from '@tastegraph/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { follow, makeAnalysedProject, resultOf } from '../stack/analysed-project.ts';
import { api, caller, invalid, ownProduct, perFile, problem, untilErased } from '../stack/stack.ts';
import { deployModel, waitForJob } from '../stack/training.ts';
import { type Answer, answersOf, submitBatch } from './recommending.ts';

/** Several files, the last one not full. */
const fileUsers = 20;

/** In byte order: JavaScript would put 😀 before ～. */
let userIds: string[];

ownProduct({ RECOMMENDING_FILE_USERS: String(fileUsers) });

const project = perFile(() => makeAnalysedProject(caller));

beforeAll(async () => {
  await deploy(project.model_id);
  const recorded = ['only a record', '～', '😀', 'u1', 'u2'];
  const { user_dataset_id, events } = project;
  const users = recorded.map((user_id) => ({ user_id, attributes: { country: 'FI' } }));
  await caller.call('upsertDatasetUsers', { user_dataset_id, users });
  const ids = new Set([...recorded, ...[...project.users, ...events].map(({ user_id }) => user_id)]);
  userIds = [...ids].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}, 120_000);

type Fields = Partial<Request<'submitRecommendingJob'>>;
/** The fields of the recommendation call. */
type Placed = Omit<Fields, 'user_ids' | 'format' | 'name' | 'project_id'>;

const deploy = (model: string) => deployModel(api.rows, model);
const submit = (fields: Fields = {}) => submitBatch(caller, project.project_id, fields);
const recommend = async (fields: Fields = {}) => resultOf(caller, project.project_id, await submit(fields));
const filesOf = async (job_id: string) => (await api.objectKeys()).filter((key) => key.includes(job_id));
const noneLeft = (job_id: string) => expect.poll(() => filesOf(job_id), { timeout: 10_000 }).toEqual([]);

async function askLive(fields: Placed, users = userIds): Promise<Answer[]> {
  const { project_id } = project;
  const answers: Answer[] = [];
  for (const user_id of users) {
    const live = await caller.call('recommendItemsToUser', { project_id, user_id, ...fields });
    answers.push({ user_id, results: live.results, shortfall: live.shortfall ?? null });
  }
  return answers;
}

describe('a batch with a scenario', () => {
  test('takes its fields as they are when it is submitted, and the request overrides them', async () => {
    const { project_id } = project;
    const settings = { limit: 4, boosts: [{ if: 'item.price < 2', factor: 5 }], attributes: ['price'] };
    const scenario = { project_id, name: 'newsletter' };
    const fields = { question: 'ITEMS_TO_USER', ...settings, explain: true } as const;
    await caller.call('createScenario', { ...scenario, ...fields });
    const users = userIds.slice(0, 5);
    const job_id = await submit({ scenario: 'newsletter', user_ids: users, attributes: [] });
    await caller.call('updateScenario', { ...scenario, limit: 1 });
    const result = await resultOf(caller, project_id, job_id);
    expect(await answersOf(caller, result)).toEqual(await askLive({ ...settings, attributes: [] }, users));
    const { job_data } = await waitForJob(caller, project_id, job_id);
    expect(job_data).toMatchObject({ scenario: 'newsletter', ...settings, attributes: [] });
  });

  test('is refused if there is none, or one for another call', async () => {
    const { project_id } = project;
    await caller.call('createScenario', { project_id, name: 'shelf', question: 'POPULAR', limit: 3 });
    const refuse = (scenario: string) =>
      caller.ask('submitRecommendingJob', { project_id, name: 'b', format: 'NDJSON', scenario });
    expect(await refuse('none')).toMatchObject({ status: 404 });
    expect(await refuse('shelf')).toMatchObject(invalid('scenario'));
  });
});

describe('a batch', () => {
  test.each<Placed>([
    {},
    { limit: 3, attributes: ['genres', 'price', 'constructor'] },
    { limit: 200, filter_query: 'item.price < 2 && "Drama" in item.genres', attributes: ['price'] },
    { filter_query: 'item.price == 9' },
    { exclude_seen: false, exclude_item_ids: ['i1', 'i2', 'i3'] },
    { exclude_event_types: ['view', 'buy'], limit: 20 },
    {
      boosts: [{ if: 'item.kids', factor: 5 }],
      pins: [{ position: 2, item_id: 'i9' }],
      promote: { if: '"Horror" in item.genres', share: 0.4 },
    },
  ])('answers every user once, in byte order, as a recommendation call would: %j', async (fields) => {
    const result = await recommend(fields);
    expect(await answersOf(caller, result)).toEqual(await askLive(fields));
    expect(result).toMatchObject({ user_count: userIds.length, message: null });
  });

  test('has files of the configured size, each with its own name, type and URL', async () => {
    const job_id = await submit();
    const { download_url, download_urls = [] } = await resultOf(caller, project.project_id, job_id);
    expect(new URL(download_url).pathname).toBe(new URL(download_urls[0] ?? '').pathname);
    const sizes: number[] = [];
    const names: (string | null)[] = [];
    for (const url of download_urls) {
      const response = await follow(caller, url);
      expect(response.headers.get('content-type')).toBe('application/x-ndjson');
      names.push(response.headers.get('content-disposition'));
      sizes.push((await response.text()).split('\n').length - 1);
    }
    const full = Math.floor(userIds.length / fileUsers);
    expect(sizes).toEqual([...Array.from({ length: full }, () => fileUsers), userIds.length % fileUsers]);
    expect(new Set(names).size).toBe(sizes.length);
    const { jobs } = await caller.call('listJobs', { project_id: project.project_id, page_size: 1 });
    expect(jobs[0]).toMatchObject({ job_id, job_type: 'RECOMMENDING', progress: { fraction: 1 } });
    expect(jobs[0]?.job_result).not.toHaveProperty('download_urls');
  });

  test('as CSV has a row per item, in the same order', async () => {
    const { download_urls = [] } = await recommend({ format: 'CSV', limit: 3 });
    const rows: string[] = [];
    for (const url of download_urls)
      rows.push(...(await (await follow(caller, url)).text()).split('\r\n').slice(1, -1));
    const answers = await askLive({ limit: 3 });
    expect(rows).toHaveLength(answers.reduce((sum, { results }) => sum + results.length, 0));
    const expected = answers.flatMap(({ results }) =>
      results.map(({ item }, index) => `${index + 1},${item.item_id}`),
    );
    expect(rows.map((row) => row.split(',').slice(-2).join())).toEqual(expected);
  });

  test('of listed users has each of them once, whether known or not', async () => {
    const listed = ['u7', 'nobody', '😀', 'u7', 'ü "3"', '～'];
    const result = await recommend({ user_ids: listed, limit: 4 });
    const users = ['nobody', 'u7', 'ü "3"', '～', '😀'];
    expect(await answersOf(caller, result)).toEqual(await askLive({ limit: 4 }, users));
    expect(result).toMatchObject({ user_count: 5 });
  });

  test('has at most as many items per user as a recommendation call, and says so', async () => {
    const result = await recommend({ limit: 1000, user_ids: ['u1'] });
    expect(await answersOf(caller, result)).toEqual(await askLive({ limit: 200 }, ['u1']));
    expect(result.message).toEqual(expect.any(String));
  });

  test('of a project without users has one empty file', async () => {
    const other = await makeAnalysedProject(caller, 2);
    await deploy(other.model_id);
    const { event_dataset_id, project_id, user_dataset_id } = other;
    await caller.call('deleteDatasetEventsBeforeTs', { event_dataset_id, ts: 2_000_000_000_000 });
    const ids = other.users.map(({ user_id }) => user_id);
    await caller.call('deleteDatasetUsers', { user_dataset_id, ids });
    const result = await resultOf(caller, project_id, await submitBatch(caller, project_id));
    expect(result.download_urls).toHaveLength(1);
    expect(await answersOf(caller, result)).toEqual([]);
    expect(result).toMatchObject({ user_count: 0 });
  });
});

describe('a submission', () => {
  const refuse = (fields: object) => {
    const { project_id } = project;
    return caller.ask('submitRecommendingJob', { name: 'b', format: 'NDJSON', project_id, ...fields });
  };

  test.each([
    [400, 'INVALID_REQUEST', { filter_query: 'item.price <' }],
    [400, 'INVALID_REQUEST', { boosts: [{ if: 'item.price <', factor: 2 }] }],
    [400, 'INVALID_REQUEST', { user_ids: [] }],
    [400, 'INVALID_REQUEST', { user_ids: Array.from({ length: 10_001 }, (_, n) => `u${n}`) }],
    [400, 'INVALID_REQUEST', { format: 'XML' }],
    [404, 'NOT_FOUND', { project_id: 'prj_01kcn8y3m5h6w2j9n4r7e1s8tg' }],
  ])('is refused with %i %s as a recommendation call is: %#', async (status, code, fields) => {
    expect(await refuse(fields)).toMatchObject(problem(status, code));
  });

  test('is refused with the error of a recommendation call if no model is deployed', async () => {
    const { project_id } = await makeAnalysedProject(caller, 3);
    const live = await caller.ask('recommendItemsToUser', { project_id, user_id: 'u1' });
    expect(live.body.code).toBe('PROJECT_NOT_DEPLOYED');
    expect(await refuse({ project_id })).toMatchObject(problem(live.status, 'PROJECT_NOT_DEPLOYED'));
  });

  test('does not show with the job what only the service uses', async () => {
    const request: Fields = { limit: 2, user_ids: ['u1'], format: 'NDJSON' };
    const { project_id } = project;
    const job = await waitForJob(caller, project_id, await submit(request));
    expect(job.job_data).toEqual(request);
  });
});

describe('the files', () => {
  test('are removed with their job', async () => {
    const job_id = await submit();
    const { download_urls = [] } = await resultOf(caller, project.project_id, job_id);
    expect(await filesOf(job_id)).toHaveLength(download_urls.length);
    await caller.call('deleteJob', { project_id: project.project_id, job_id });
    await noneLeft(job_id);
    for (const url of download_urls) expect((await follow(caller, url)).status).toBe(404);
  });

  test('are removed when a user in any of them is erased, and lists of users forget the user', async () => {
    const { project_id } = project;
    const others = userIds.filter((id) => id !== 'u9');
    const [all, without, listing] = [
      await submit(),
      await submit({ user_ids: others }),
      await submit({ user_ids: ['u8', 'u9'] }),
    ];
    for (const job_id of [all, without, listing]) await resultOf(caller, project_id, job_id);
    const { erasure_id } = await caller.call('eraseUser', { user_id: 'u9' });
    expect((await untilErased(caller, erasure_id)).finished_ts).not.toBeNull();
    await noneLeft(all);
    await noneLeft(listing);
    expect(await filesOf(without)).toHaveLength(Math.ceil(others.length / fileUsers));
    const { job_data } = await caller.call('getJob', { project_id, job_id: listing });
    expect(job_data).toMatchObject({ user_ids: ['u8'] });
    expect(await api.rows(`SELECT FROM jobs WHERE job_data::text LIKE '%"u9"%'`)).toEqual([]);
  });
});
