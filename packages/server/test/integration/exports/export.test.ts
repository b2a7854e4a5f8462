import { parquetReadObjects } from 'hyparquet';
import { describe, expect } from 'vitest';
import { type Download, follow, resultOf } from '../stack/analysed-project.ts';
import { api, caller, invalid, perFile, problem, test, untilErased } from '../stack/stack.ts';
import { makeProject, type TestProject, waitForJob } from '../stack/training.ts';

const ids = ['a', 'A', ' a', 'a,b', '"', 'é', '🎵', '\\', '5'];
const attributes = { text: 'a\n"b",c', list: ['x', 'y|z'], price: 2.5, large: 1e300, id: '5', flag: true };
const users = ids.map((user_id) => ({ user_id, attributes }));
const event = (event_id: string, ts: number, user_id = 'a') => ({
  event_id,
  user_id,
  item_id: 'i1',
  ts,
  event_type: 'buy',
  event_value: 0.5,
  attributes: { deep: { a: [{ b: null }] } },
});

const project = perFile(() => makeProject(caller, { users: 2, items: 2, each: 1 }), test);

test.beforeAll(async () => {
  const { user_dataset_id, event_dataset_id } = project;
  await caller.call('updateUserDataset', {
    user_dataset_id,
    attribute_schema: { price: 'NUMERICAL', list: 'CATEGORICAL' },
  });
  await caller.call('upsertDatasetUsers', { user_dataset_id, users });
  await caller.call('upsertDatasetEvents', {
    event_dataset_id,
    events: ids.map((id, n) => event(`x${id}`, 1_750_000_000_000 + n, id)),
  });
});

type Asked = { format: 'NDJSON' | 'CSV' | 'PARQUET'; since_ts?: number } & Partial<
  Pick<TestProject, 'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id'>
>;

async function submitExport(asked: Asked, by = caller, of = project): Promise<string> {
  return (await by.call('submitExportJob', { name: 'an export', project_id: of.project_id, ...asked }))
    .job_id;
}

const exported = async (asked: Asked) => resultOf(caller, project.project_id, await submitExport(asked));

async function bytesOf({ download_url }: Download): Promise<Buffer> {
  const response = await follow(caller, download_url);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const linesOf = async (result: Download) => {
  const lines = (await bytesOf(result)).toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

const readParquet = async ({ buffer, byteOffset, byteLength }: Buffer) =>
  parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });

const inOrder = <T>(records: readonly T[], idOf: (record: T) => string) =>
  records.toSorted((a, b) => Buffer.compare(Buffer.from(idOf(a)), Buffer.from(idOf(b))));

describe('an export', () => {
  test('as NDJSON has the records as the get operations return them, in ID order', async () => {
    const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
    const result = await exported({ user_dataset_id, format: 'NDJSON' });
    expect(await linesOf(result)).toEqual(inOrder(users, ({ user_id }) => user_id));
    expect(result).toMatchObject({ message: null, record_count: users.length });
    expect(result.download_urls).toHaveLength(1);
    expect(result.chart_urls).toBeUndefined();
    const items = await linesOf(await exported({ item_dataset_id, format: 'NDJSON' }));
    expect(items).toEqual([
      { item_id: 'i0', attributes: { parity: '0' } },
      { item_id: 'i1', attributes: { parity: '1' } },
    ]);
    const events = await linesOf(await exported({ event_dataset_id, format: 'NDJSON' }));
    expect(events).toHaveLength(ids.length + 2);
    for (const one of events)
      expect(
        await caller.call('getDatasetEvent', { event_dataset_id, event_id: one['event_id'] as string }),
      ).toEqual(one);
  });

  test('has only events at or after since_ts', async () => {
    const { event_dataset_id } = project;
    const result = await exported({ event_dataset_id, format: 'NDJSON', since_ts: 1_750_000_000_002 });
    expect((await linesOf(result)).map(({ ts }) => ts).toSorted()).toEqual(
      ids.slice(2).map((_, n) => 1_750_000_000_002 + n),
    );
    expect(result.record_count).toBe(ids.length - 2);
  });

  test('as CSV has a column per attribute of the schema, and all attributes as JSON', async () => {
    const { user_dataset_id } = project;
    const text = (await bytesOf(await exported({ user_dataset_id, format: 'CSV' }))).toString();
    const json = `{""id"": ""5"", ""flag"": true, ""list"": [""x"", ""y|z""], ""text"": ""a\\n\\""b\\"",c"", ""large"": 1e+300, ""price"": 2.5}`;
    const [header, first] = text.split('\r\n');
    expect(header).toMatch(/^user_id,(price,list|list,price),attributes$/);
    expect(first).toMatch(/^" a",/);
    expect(first).toContain(json);
    expect(first).toContain('"x|y|z"');
  });

  test('as Parquet has typed columns, and all attributes as JSON', async () => {
    const { user_dataset_id, event_dataset_id } = project;
    const read = async (asked: Asked) => readParquet(await bytesOf(await exported(asked)));
    const rows = await read({ user_dataset_id, format: 'PARQUET' });
    expect(
      rows.map(({ attributes: json, ...row }) => ({
        ...row,
        attributes: JSON.parse(json as string) as unknown,
      })),
    ).toEqual(
      inOrder(users, ({ user_id }) => user_id).map((user) => ({ ...user, price: 2.5, list: 'x|y|z' })),
    );
    const since_ts = 1_750_000_000_000;
    const [first] = await read({ event_dataset_id, format: 'PARQUET', since_ts });
    expect(first).toMatchObject({
      user_id: ' a',
      ts: new Date(since_ts + 2),
      event_value: 0.5,
      event_type: 'buy',
    });
  });

  test.each(['NDJSON', 'CSV', 'PARQUET'] as const)(
    'of an empty dataset as %s has one file',
    async (format) => {
      const empty = await makeProject(caller, { users: 2, items: 2, each: 1 });
      const { project_id, user_dataset_id } = empty;
      const result = await resultOf(
        caller,
        project_id,
        await submitExport({ user_dataset_id, format }, caller, empty),
      );
      expect(result.record_count).toBe(0);
      const bytes = await bytesOf(result);
      if (format !== 'PARQUET')
        expect(bytes.toString()).toBe(format === 'CSV' ? 'user_id,attributes\r\n' : '');
      else expect(await readParquet(bytes)).toEqual([]);
    },
  );

  test('reads pages of many records, each record once', async () => {
    const many = await makeProject(caller, { users: 2000, items: 50, each: 6 });
    const { project_id, event_dataset_id } = many;
    const result = await resultOf(
      caller,
      project_id,
      await submitExport({ event_dataset_id, format: 'NDJSON' }, caller, many),
    );
    const found = (await linesOf(result)).map(({ event_id }) => event_id as string);
    expect(found).toEqual(Array.from({ length: 12_000 }, (_, n) => `e${n}`).toSorted());
    expect(result.record_count).toBe(12_000);
  });

  test('shows in a list its first file only', async () => {
    const { project_id, user_dataset_id } = project;
    await exported({ user_dataset_id, format: 'CSV' });
    const { jobs } = await caller.call('listJobs', { project_id, job_type: 'EXPORT', page_size: 1 });
    expect(jobs[0]).toMatchObject({
      job_data: { user_dataset_id, format: 'CSV' },
      job_result: { download_url: expect.any(String) as string, record_count: users.length },
    });
    expect(jobs[0]?.job_result).not.toHaveProperty('download_urls');
  });
});

describe('a submission of an export is refused', () => {
  test.each<[string, (of: TestProject) => object, string]>([
    ['without a dataset', () => ({}), 'event_dataset_id'],
    [
      'with two datasets',
      ({ user_dataset_id, item_dataset_id }) => ({ user_dataset_id, item_dataset_id }),
      'item_dataset_id',
    ],
    ['of users since a time', ({ user_dataset_id }) => ({ user_dataset_id, since_ts: 1 }), 'since_ts'],
    ['of items since a time', ({ item_dataset_id }) => ({ item_dataset_id, since_ts: 1 }), 'since_ts'],
    ['in another format', ({ item_dataset_id }) => ({ item_dataset_id, format: 'XML' }), 'format'],
  ])('%s', async (_, fields, path) => {
    const request = { name: 'x', project_id: project.project_id, format: 'CSV', ...fields(project) };
    expect(await caller.ask('submitExportJob', request)).toMatchObject(invalid(path));
  });

  test('if the dataset belongs to another project or account', async () => {
    const other = await makeProject(caller, { users: 2, items: 2, each: 1 });
    const stranger = await api.newCaller();
    const foreign = await makeProject(stranger, { users: 2, items: 2, each: 1 });
    const { project_id } = project;
    for (const { event_dataset_id } of [other, foreign, { event_dataset_id: 'eds_none' }])
      expect(
        await caller.ask('submitExportJob', { name: 'x', project_id, event_dataset_id, format: 'CSV' }),
      ).toMatchObject(problem(404, 'NOT_FOUND'));
  });
});

test('an erasure removes exports that may contain the user, and keeps the others', async () => {
  const own = await api.newCaller();
  const made = await makeProject(own, { users: 4, items: 2, each: 2 });
  const { project_id, user_dataset_id, item_dataset_id, event_dataset_id } = made;
  await own.call('upsertDatasetUsers', { user_dataset_id, users: [{ user_id: 'u1' }] });
  const jobs = {
    items: await submitExport({ item_dataset_id, format: 'CSV' }, own, made),
    users: await submitExport({ user_dataset_id, format: 'NDJSON' }, own, made),
    events: await submitExport({ event_dataset_id, format: 'NDJSON' }, own, made),
    table: await submitExport({ user_dataset_id, format: 'PARQUET' }, own, made),
  };
  for (const job of Object.values(jobs)) await resultOf(own, project_id, job);
  // u3 has events but no record. What is compressed cannot be searched.
  const { erasure_id } = await own.call('eraseUser', { user_id: 'u3' });
  const { removed } = await untilErased(own, erasure_id);
  const isKept = async (job_id: string) => {
    const { job_result } = await own.call('getJob', { project_id, job_id });
    return (await follow(own, (job_result as Download).download_url)).status === 200;
  };
  expect(await Promise.all(Object.values(jobs).map(isKept))).toEqual([true, true, false, false]);
  expect(removed).toContainEqual({ where: project_id, kind: 'RESULTS', count: 2 });
});

test('the files of an export are removed with its job', async () => {
  const { project_id, user_dataset_id } = project;
  const job_id = await submitExport({ user_dataset_id, format: 'PARQUET' });
  await waitForJob(caller, project_id, job_id);
  const files = async () => (await api.objectKeys()).filter((key) => key.includes(job_id));
  expect(await files()).toHaveLength(1);
  await caller.call('deleteJob', { project_id, job_id });
  await expect.poll(files).toEqual([]);
  const orphaned = () => api.rows('SELECT FROM loose_objects WHERE object_key LIKE $1', [`%${job_id}%`]);
  await expect.poll(orphaned).toEqual([]);
});
