import { describe, expect, inject } from 'vitest';
import { growthOf, startApiProcess } from '../stack/api-process.ts';
import { Caller } from '../stack/caller.ts';
import { KindCaller, type kinds } from '../stack/kinds.ts';
import { api, invalid, problem, test } from '../stack/stack.ts';
import { makeProject } from '../stack/training.ts';

const newAccount = async (kind: (typeof kinds)[number]) => new KindCaller(await api.newCaller(), kind);

describe('lists', () => {
  test('are ordered newest first, in pages, complete and without overlap', async () => {
    const of = await newAccount('user');
    const created: string[] = [];
    for (let n = 0; n < 25; n++) created.push(await of.createdId());
    for (const page_size of [1, 4, 5, 24, 25, 26, 1000]) {
      const seen: string[] = [];
      let pages = 0;
      for (let page_token: string | null | undefined; page_token !== null; pages++) {
        const { body } = await of.list({ page_size, ...(page_token === undefined ? {} : { page_token }) });
        const page = (body['user_datasets'] as { user_dataset_id: string }[]).map(
          (each) => each.user_dataset_id,
        );
        expect(page.length).toBeLessThanOrEqual(page_size);
        seen.push(...page);
        page_token = body['next_page_token'] as string | null;
      }
      expect(seen).toEqual(created.toReversed());
      expect(pages).toBe(Math.ceil(25 / page_size));
    }
  });

  test('return everything without page_size', async () => {
    const of = await newAccount('item');
    for (let created = 0; created < 109; created++) await of.create();
    const { body } = await of.list();
    expect(body['item_datasets']).toHaveLength(109);
    expect(body).toMatchObject({ next_page_token: null, message: null });
  });

  test('are limited in bytes, and say so', async () => {
    const caller = await api.newCaller();
    const of = new KindCaller(caller, 'item');
    await of.create();
    // Schemas of 200 names with 200 characters: 42 kB each, so about a hundred reach 4 MiB.
    await api.rows(
      `INSERT INTO datasets (dataset_id, account_id, kind, name, num_shards, partition, attribute_schema)
        SELECT 'ids_large' || n, $1, 'item', 'large', 1, 0, (SELECT jsonb_object_agg(rpad('a' || k, 200, 'x'), 'TEXT')
          FROM generate_series(1, 200) k) FROM generate_series(1, 250) n`,
      [caller.accountId],
    );
    let [seen, pages] = [0, 0];
    for (let page_token: string | null | undefined; page_token !== null; pages++) {
      const { body } = await of.list(page_token === undefined ? {} : { page_token });
      const page = body['item_datasets'] as unknown[];
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(5 * 2 ** 20);
      page_token = body['next_page_token'] as string | null;
      expect(typeof body['message']).toBe(page_token === null ? 'object' : 'string');
      seen += page.length;
    }
    expect(seen).toBe(251);
    expect(pages).toBeGreaterThan(1);
  });

  test.runIf(process.platform === 'linux')(
    'of jobs leave out large parts, and take no more memory than they return',
    async () => {
      const caller = await api.newCaller();
      const { project_id } = await makeProject(caller, { users: 2, items: 2, each: 1 });
      // 260 kB that do not compress, like queries with many random values.
      for (let from = 0; from < 1000; from += 50)
        await api.rows(
          `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status, job_result)
        SELECT 'job_large' || n, $1, project_key, 'QUERYING', 'large', jsonb_build_object('model_id', 'mdl_x', 'query_type',
          'user_list', 'queries', jsonb_build_array(jsonb_build_object('conditions', jsonb_build_array(jsonb_build_object(
            'attribute', 'a', 'value', value))))), 1,
          'FAILED', NULL FROM projects, generate_series($3::int + 1, $3::int + 50) n,
            (SELECT string_agg(md5(k::text), '') AS value FROM generate_series(1, 8125) k) AS one
          WHERE project_id = $2`,
          [caller.accountId, project_id, from],
        );
      await using server = await startApiProcess({
        databaseUrl: api.databaseUrl,
        redisUrl: inject('redisUrl'),
      });
      const asking = new Caller(server.baseUrl, caller.credentials);
      // Loads what every call needs.
      await asking.call('getProject', { project_id });
      const growth = await growthOf(server.pid, async () => {
        const { jobs, message, next_page_token } = await asking.call('listJobs', { project_id });
        expect(jobs).toHaveLength(1000);
        expect({ message, next_page_token }).toEqual({ message: null, next_page_token: null });
        expect(jobs[0]).toMatchObject({ job_data: null, job_result: null, omitted: ['job_data'] });
      });
      console.log(`1,000 jobs of 260 kB are listed in ${Math.round(growth)} MB`);
      // All of them are 260 MB.
      expect(growth).toBeLessThan(200);
      const { job_data } = await caller.call('getJob', { project_id, job_id: 'job_large1' });
      expect(JSON.stringify(job_data).length).toBeGreaterThan(260_000);
    },
    120_000,
  );

  test('have tokens that are valid only for their account and list', async () => {
    const caller = await api.newCaller();
    const [of, other] = [new KindCaller(caller, 'user'), await newAccount('user')];
    for (const one of [of, other]) for (let n = 0; n < 3; n++) await one.create();
    const { body } = await of.list({ page_size: 1 });
    const page_token = body['next_page_token'];
    expect((await of.list({ page_token })).status).toBe(200);
    expect(await other.list({ page_token })).toMatchObject(problem(400, 'INVALID_REQUEST'));
    expect((await caller.ask('listItemDatasets', { page_token })).status).toBe(400);
  });

  test('continue correctly when datasets are created and deleted meanwhile', async () => {
    const of = await newAccount('event');
    const created: string[] = [];
    for (let n = 0; n < 6; n++) created.push(await of.createdId());
    const first = await of.list({ page_size: 2 });
    await of.create();
    // The last of the first page, and one of a later page.
    await of.remove(created[4] as string);
    await of.remove(created[2] as string);
    const second = await of.list({ page_size: 10, page_token: first.body['next_page_token'] });
    const ids = (second.body['event_datasets'] as { event_dataset_id: string }[]).map(
      (each) => each.event_dataset_id,
    );
    expect(ids).toEqual([created[3], created[1], created[0]]);
  });

  test('show an account only its own datasets', async () => {
    const of = await newAccount('user');
    await of.create();
    expect((await (await newAccount('user')).list()).body['user_datasets']).toEqual([]);
  });

  test.each(['', ' ', '!!!', 'abc', 'MTA=', 'LTE', 'MS41', 'MHgxMA', 'OTk5OTk5OTk5OTk5', 'x'.repeat(201)])(
    'refuse "%s" as page_token',
    async (page_token) => {
      expect(await (await newAccount('user')).list({ page_token })).toMatchObject(invalid('page_token'));
    },
  );

  test('refuse unknown fields', async () => {
    const { status, body } = await (await newAccount('user')).list({ limit: 5 });
    expect({ status, path: body.errors[0]?.path }).toEqual({ status: 400, path: 'limit' });
  });
});
