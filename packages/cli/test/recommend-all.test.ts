import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openWithFiles } from './open-cli.ts';

/** A service with one project, whose recommending jobs have `count` files. */
const open = (count: number) => openWithFiles(count, 'RECOMMENDING', { user_count: 7 });

const request = { project_id: 'prj_1', name: 'recommendations from the CLI', format: 'NDJSON' };

test('recommend-all submits a job for all users and downloads its file', async () => {
  const { cli, requests } = await open(1);
  const { code, stdout } = await cli.run(['recommend-all', '--json']);
  const file = 'recommendations-job_1.ndjson';
  expect({ code, result: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    result: { job_id: 'job_1', files: [file], user_count: 7, message: null },
  });
  expect(requests).toEqual([request]);
  expect(readFileSync(cli.path(file), 'utf8')).toBe('"/file-1"');
});

test('recommend-all passes users, filter and attributes, and numbers several files', async () => {
  const { cli, requests } = await open(2);
  writeFileSync(cli.path('users.txt'), 'anna\r\n ben\n\n');
  const fields = [
    '--users',
    'users.txt',
    '--attributes',
    'title,price',
    '--filter',
    'item.price < 9',
    '--exclude',
    'i1',
    '--exclude-types',
    'buy,view',
    '--seen',
  ];
  const result = await cli.run(['recommend-all', ...fields, '--limit', '3', '--out', 'all.ndjson']);
  expect(result).toMatchObject({ code: 0, stdout: 'all-1.ndjson\nall-2.ndjson\n' });
  expect(requests).toEqual([
    {
      ...request,
      limit: 3,
      exclude_seen: false,
      user_ids: ['anna', ' ben'],
      attributes: ['title', 'price'],
      filter_query: 'item.price < 9',
      exclude_item_ids: ['i1'],
      exclude_event_types: ['buy', 'view'],
    },
  ]);
  expect(readFileSync(cli.path('all-2.ndjson'), 'utf8')).toBe('"/file-2"');
});

test('recommend-all passes a scenario, and only the fields that are given', async () => {
  const { cli, requests } = await open(1);
  expect(await cli.run(['recommend-all', '--scenario', 'home', '--limit', '3'])).toMatchObject({ code: 0 });
  expect(requests).toEqual([{ ...request, scenario: 'home', limit: 3 }]);
});

test.each([[['--users', 'nowhere.txt']], [['--limit', '0']], [['--out', 'none/x.ndjson']]])(
  'recommend-all refuses %j before it submits a job',
  async (args) => {
    const { cli, requests } = await open(1);
    expect(await cli.run(['recommend-all', ...args])).toMatchObject({ code: 2, stdout: '' });
    expect(requests).toEqual([]);
  },
);
