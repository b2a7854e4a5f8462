import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import { KindCaller, type kinds } from './kinds.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const newAccount = async (kind: (typeof kinds)[number]) => new KindCaller(await api.newCaller(), kind);

describe('lists', () => {
  test('run newest first, page by page, complete and without overlap', async () => {
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

  test('hold 100 datasets a page when nothing else is asked for', async () => {
    const of = await newAccount('item');
    await Promise.all(Array.from({ length: 101 }, () => of.create()));
    const { body } = await of.list();
    expect(body['item_datasets']).toHaveLength(100);
    const rest = await of.list({ page_token: body['next_page_token'] });
    expect(rest.body['item_datasets']).toHaveLength(1);
    expect(rest.body['next_page_token']).toBeNull();
  });

  test('go on where they were when datasets come and go meanwhile', async () => {
    const of = await newAccount('event');
    const created: string[] = [];
    for (let n = 0; n < 6; n++) created.push(await of.createdId());
    const first = await of.list({ page_size: 2 });
    await of.create();
    // The last of the first page, and one that is still to come.
    await of.remove(created[4] as string);
    await of.remove(created[2] as string);
    const second = await of.list({ page_size: 10, page_token: first.body['next_page_token'] });
    const ids = (second.body['event_datasets'] as { event_dataset_id: string }[]).map(
      (each) => each.event_dataset_id,
    );
    expect(ids).toEqual([created[3], created[1], created[0]]);
  });

  test('show an account its own datasets only', async () => {
    const of = await newAccount('user');
    await of.create();
    expect((await (await newAccount('user')).list()).body['user_datasets']).toEqual([]);
  });

  test.each(['', ' ', '!!!', 'abc', 'MTA=', 'LTE', 'MS41', 'MHgxMA', 'OTk5OTk5OTk5OTk5', 'x'.repeat(201)])(
    'refuse "%s" as page_token',
    async (page_token) => {
      const { status, body } = await (await newAccount('user')).list({ page_token });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
      expect(body.errors.map(({ path }) => path)).toEqual(['page_token']);
    },
  );

  test('refuse a field they do not know', async () => {
    const { status, body } = await (await newAccount('user')).list({ limit: 5 });
    expect({ status, path: body.errors[0]?.path }).toEqual({ status: 400, path: 'limit' });
  });
});
