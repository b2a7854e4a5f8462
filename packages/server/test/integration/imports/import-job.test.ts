import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { follow, linesOf, resultOf } from '../stack/analysed-project.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';
import { makeProject, type TestProject, waitForJob } from '../stack/training.ts';

const project = perFile(() => makeProject(caller, { users: 2, items: 2, each: 1 }), test);

const put = (path: string, content: string | Buffer, by = caller) =>
  api.store.put(`imports/${by.credentials.accountId}/${path}`, [Buffer.from(content)]);

type Asked = {
  path: string;
  columns?: Record<string, string>;
  event_type?: string;
  allow_old_ts?: boolean;
} & Partial<Pick<TestProject, 'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id'>>;

const submit = async (asked: Asked) =>
  (await caller.call('submitImportJob', { name: 'an import', project_id: project.project_id, ...asked }))
    .job_id;
const imported = async (asked: Asked) => resultOf(caller, project.project_id, await submit(asked));
const failed = async (asked: Asked) =>
  (await waitForJob(caller, project.project_id, await submit(asked))).error;
const eventOf = async (event_id: string) =>
  caller.call('getDatasetEvent', { event_dataset_id: project.event_dataset_id, event_id });

describe('an import', () => {
  test('of a CSV file writes valid events, and lists the others with their line, reason and record', async () => {
    const lines = ['event_id,user_id,item_id,ts,event_type,event_value,place'];
    for (let n = 0; n < 2500; n++)
      lines.push(`c${n},u${n % 7},i${n % 3},${1_700_000_000_000 + n},buy,0.5,"a, b"`);
    lines[12] = 'c11,u1,i1,yesterday,buy,0.5,x';
    lines[2001] = 'c2000,,i1,1700000000000,buy,0.5,x';
    await put('events/a.csv', `${lines.join('\n')}\n`);
    const { event_dataset_id } = project;
    const result = await imported({ event_dataset_id, path: 'events/a.csv' });
    expect(result).toMatchObject({ record_count: 2498, rejected_count: 2 });
    expect(result.message).toMatch(/^2 records were rejected: .*ts .*\(1\).*The file lists them\.$/);
    const rejected = await linesOf<{ line: number }>(caller, result);
    expect(rejected.toSorted((one, other) => one.line - other.line)).toEqual([
      {
        file: 'events/a.csv',
        line: 13,
        code: 'FIELD_INVALID',
        message: expect.stringMatching(/^ts /) as string,
        record: expect.objectContaining({ event_id: 'c11', ts: 'yesterday' }) as object,
      },
      {
        file: 'events/a.csv',
        line: 2002,
        code: 'FIELD_MISSING',
        message: 'user_id is missing',
        record: expect.objectContaining({ event_id: 'c2000' }) as object,
      },
    ]);
    expect(await eventOf('c2499')).toEqual({
      event_id: 'c2499',
      user_id: 'u0',
      item_id: 'i0',
      ts: 1_700_000_002_499,
      event_type: 'buy',
      event_value: 0.5,
      attributes: { place: 'a, b' },
    });
  });

  test('again adds nothing, also without event_id', async () => {
    const { event_dataset_id } = project;
    await put('plain.csv', 'user,movie,time\nu1,m1,1700000000\nu2,m1,1700000001\n');
    const asked = { event_dataset_id, path: 'plain.csv', event_type: 'watch' };
    const count = async () => (await caller.call('getEventDataset', { event_dataset_id })).record_count;
    expect(await imported(asked)).toMatchObject({ record_count: 2, rejected_count: 0, message: null });
    const before = await count();
    expect(await imported(asked)).toMatchObject({ record_count: 2, rejected_count: 0 });
    expect(await count()).toBe(before);
  });

  test('of an export as Parquet restores every record', async () => {
    const { user_dataset_id, project_id } = project;
    const users = ['a', 'A', ' é', '"', '🎵', '5'].map((user_id, n) => ({
      user_id,
      attributes: { text: 'a\n"b",c', list: ['x', 'y|z'], price: n + 0.5, flag: n % 2 === 0 },
    }));
    await caller.call('upsertDatasetUsers', { user_dataset_id, users });
    const { job_id } = await caller.call('submitExportJob', {
      name: 'an export',
      project_id,
      user_dataset_id,
      format: 'PARQUET',
    });
    const { download_url } = await resultOf(caller, project_id, job_id);
    await put('users.parquet', Buffer.from(await (await follow(caller, download_url)).arrayBuffer()));
    await caller.call('deleteDatasetUsers', { user_dataset_id, ids: users.map(({ user_id }) => user_id) });
    expect(await imported({ user_dataset_id, path: 'users.parquet' })).toMatchObject({ rejected_count: 0 });
    for (const user of users)
      expect(await caller.call('getDatasetUser', { user_dataset_id, user_id: user.user_id })).toEqual(user);
  });

  test('of rows with the same ID says how many were replaced', async () => {
    const { item_dataset_id } = project;
    await put('variants.csv', 'item_id,title\nshirt,A shirt\nshirt,\nhat,A hat\n');
    const result = await imported({ item_dataset_id, path: 'variants.csv' });
    expect(result).toMatchObject({ record_count: 2, rejected_count: 0 });
    expect(result.message).toBe('1 row had the ID of a later row, which replaced it.');
  });

  test('of a folder reads its files by name, plain or gzip, and the last record with an ID wins', async () => {
    const { item_dataset_id } = project;
    const rows = (from: number, to: number, title: string) =>
      Array.from({ length: to - from }, (_, n) => `${JSON.stringify({ sku: `s${from + n}`, title })}\n`).join(
        '',
      );
    await put('items/b.ndjson.gz', gzipSync(rows(500, 3000, 'second')));
    await put('items/a.ndjson', rows(0, 2500, 'first') + rows(0, 100, 'again'));
    await put('itemsx.ndjson', rows(0, 1, 'not in the folder'));
    const result = await imported({ item_dataset_id, path: 'items/', columns: { item_id: 'sku' } });
    expect(result.rejected_count).toBe(0);
    const titleOf = async (item_id: string) =>
      (await caller.call('getDatasetItem', { item_dataset_id, item_id })).attributes['title'];
    expect(await Promise.all(['s0', 's99', 's100', 's499', 's500', 's2999'].map(titleOf))).toEqual([
      'again',
      'again',
      'first',
      'first',
      'second',
      'second',
    ]);
  });

  test('reaches no file of another account, and says where files must be', async () => {
    const other = await api.newCaller();
    await put('secret.csv', 'user_id\nu1\n', other);
    const { user_dataset_id } = project;
    const error = await failed({ user_dataset_id, path: 'secret.csv' });
    expect(error?.code).toBe('NO_FILES');
    expect(error?.message).toContain(`imports/${caller.accountId}/secret.csv`);
    const path = `${other.credentials.accountId}/secret.csv`;
    expect((await failed({ user_dataset_id, path }))?.code).toBe('NO_FILES');
    for (const wrong of [`../${path}`, '/etc/passwd', 'a/../b.csv', 'a//b.csv', '', '/', 'A.csv', 'a']) {
      const { status, body } = await caller.ask('submitImportJob', {
        name: 'an import',
        project_id: project.project_id,
        user_dataset_id,
        path: wrong,
      });
      expect({ wrong, status, code: body.code }).toEqual({ wrong, status: 400, code: 'INVALID_REQUEST' });
    }
  });

  test('of a file that it cannot read fails with what is wrong, without a retry', async () => {
    const { event_dataset_id } = project;
    await put('no-time.csv', 'user_id,item_id,event_type\nu1,i1,buy\n');
    expect(await failed({ event_dataset_id, path: 'no-time.csv' })).toMatchObject({
      code: 'FILE_INVALID',
      message: expect.stringMatching(/^no-time\.csv: No column looks like ts\..*columns/) as string,
    });
    await put('damaged.csv.gz', gzipSync('user_id,item_id,event_type,ts\n').subarray(0, 20));
    expect((await failed({ event_dataset_id, path: 'damaged.csv.gz' }))?.code).toBe('FILE_INVALID');
    // Not the format that its name says: nothing is written, and nobody is told that all went well.
    await put('rows.ndjson', 'user_id,item_id,event_type,ts\nu1,i1,buy,1700000000000\n');
    expect(await failed({ event_dataset_id, path: 'rows.ndjson' })).toMatchObject({
      code: 'FILE_INVALID',
      message: expect.stringMatching(/^rows\.ndjson: no row can be read; line 1 is not valid JSON/) as string,
    });
    await put('damaged.parquet', 'PAR1 but nothing else');
    expect((await failed({ event_dataset_id, path: 'damaged.parquet' }))?.code).toBe('FILE_INVALID');
  });

  test('goes on after rows that nobody could have meant, and after a file without rows', async () => {
    const { event_dataset_id } = project;
    const row = { user_id: 'u1', item_id: 'i1', event_type: 'odd', ts: 1_700_000_000_000 };
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const lines = [
      JSON.stringify({ ...row, event_id: 'before' }),
      JSON.stringify({ ...row, user_id: { toString: 1 } }),
      `${JSON.stringify(row).slice(0, -1)},"deep":${deep}}`,
      `{"text": "😀`,
      JSON.stringify({ ...row, event_id: 'large', text: 'x'.repeat(1_000_000) }),
      JSON.stringify({ ...row, event_id: 'after' }),
    ];
    await put('odd/1.csv', 'user_id,item_id,event_type,ts\n');
    await put('odd/2.ndjson', `${lines.join('\n')}\n`);
    const result = await imported({ event_dataset_id, path: 'odd/' });
    expect(result).toMatchObject({ record_count: 2, rejected_count: 4 });
    expect((await eventOf('after')).event_type).toBe('odd');
    const rejected = await linesOf<{ line: number; code: string }>(caller, result);
    expect(rejected.map(({ line, code }) => `${line} ${code}`).toSorted()).toEqual([
      '2 FIELD_INVALID',
      '3 FIELD_INVALID',
      '4 MALFORMED_ROW',
      '5 RECORD_TOO_LARGE',
    ]);
  });

  test('of dates that were made of seconds rejects them, unless the request allows old times', async () => {
    const { event_dataset_id } = project;
    const dates = [0, 1].map((n) => `d${n},u1,i1,buy,1970-01-20T16:33:2${n}Z`);
    await put('dates.csv', `event_id,user_id,item_id,event_type,ts\n${dates.join('\n')}\n`);
    const asked = { event_dataset_id, path: 'dates.csv' };
    const result = await imported(asked);
    expect(result).toMatchObject({ record_count: 0, rejected_count: 2 });
    const rejected = await linesOf<{ code: string }>(caller, result);
    expect(rejected.map(({ code }) => code)).toEqual(['TIME_UNIT', 'TIME_UNIT']);
    expect(await imported({ ...asked, allow_old_ts: true })).toMatchObject({ record_count: 2 });
  });

  test('needs exactly one dataset, of the project', async () => {
    const { project_id, user_dataset_id, item_dataset_id } = project;
    const refusal = async (datasets: object) => {
      const request = { name: 'an import', project_id, path: 'a.csv', ...datasets };
      return (await caller.ask('submitImportJob', request)).status;
    };
    expect(await refusal({})).toBe(400);
    expect(await refusal({ user_dataset_id, item_dataset_id })).toBe(400);
    expect(await refusal({ user_dataset_id, event_type: 'buy' })).toBe(400);
    expect(await refusal({ user_dataset_id, allow_old_ts: true })).toBe(400);
    const { user_dataset_id: unused } = await caller.call('createUserDataset', { name: 'u', num_shards: 1 });
    expect(await refusal({ user_dataset_id: unused })).toBe(404);
  });
});
