import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { CliRunner, FakeService } from './fake-service.ts';

/** A service with one project, whose recommending jobs have `count` files. */
async function open(count: number): Promise<{ cli: CliRunner; requests: object[] }> {
  const requests: object[] = [];
  const service = await FakeService.open(({ path, body }) => {
    if (path === '/oauth/token') return undefined;
    if (path === '/list-projects')
      return { status: 200, body: { projects: [{ project_id: 'prj_1' }], next_page_token: null } };
    if (path.startsWith('/file-')) return { status: 200, body: path };
    if (path === '/submit-recommending-job') {
      requests.push(body);
      return { status: 200, body: { job_id: 'job_1' } };
    }
    const download_urls = Array.from({ length: count }, (_, n) => `${service.url}/file-${n + 1}`);
    const job_result = { download_url: download_urls[0], download_urls, user_count: 7, message: null };
    const job = { job_id: 'job_1', job_type: 'RECOMMENDING', job_status: 'SUCCEED', job_result };
    return { status: 200, body: job };
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { cli: new CliRunner(service), requests };
}

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
