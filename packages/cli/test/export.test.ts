import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { CliRunner, FakeService } from './fake-service.ts';

/** A service with one project, whose exports have `count` files. */
async function open(count: number): Promise<{ cli: CliRunner; requests: object[] }> {
  const requests: object[] = [];
  const service = await FakeService.open(({ path, body }) => {
    if (path === '/oauth/token') return undefined;
    if (path === '/list-projects')
      return {
        status: 200,
        body: {
          projects: [
            {
              project_id: 'prj_1',
              user_dataset_id: 'uds_1',
              item_dataset_id: 'ids_1',
              event_dataset_id: 'eds_1',
            },
          ],
          next_page_token: null,
        },
      };
    if (path.startsWith('/file-')) return { status: 200, body: path };
    if (path === '/submit-export-job') {
      requests.push(body);
      return { status: 200, body: { job_id: 'job_1' } };
    }
    const download_urls = Array.from({ length: count }, (_, n) => `${service.url}/file-${n + 1}`);
    const job_result = { download_url: download_urls[0], download_urls, record_count: 7, message: null };
    return { status: 200, body: { job_id: 'job_1', job_type: 'EXPORT', job_status: 'SUCCEED', job_result } };
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { cli: new CliRunner(service), requests };
}

test("export downloads the records of the project's dataset", async () => {
  const { cli, requests } = await open(1);
  const { code, stdout } = await cli.run(['export', 'items', '--format', 'csv', '--json']);
  expect({ code, result: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    result: { job_id: 'job_1', files: ['items-job_1.csv'], record_count: 7 },
  });
  expect(requests).toEqual([
    { project_id: 'prj_1', name: 'export from the CLI', item_dataset_id: 'ids_1', format: 'CSV' },
  ]);
  expect(readFileSync(cli.path('items-job_1.csv'), 'utf8')).toBe('"/file-1"');
});

test('export numbers several files, and passes a time', async () => {
  const { cli, requests } = await open(2);
  const args = ['export', 'events', '--since', '2026-01-31', '--format', 'parquet', '--out', 'all.parquet'];
  expect(await cli.run(args)).toMatchObject({ code: 0, stdout: 'all-1.parquet\nall-2.parquet\n' });
  expect(requests).toMatchObject([
    { event_dataset_id: 'eds_1', format: 'PARQUET', since_ts: Date.UTC(2026, 0, 31) },
  ]);
  expect(readFileSync(cli.path('all-2.parquet'), 'utf8')).toBe('"/file-2"');
});

test('experiment export downloads the exposures of an experiment', async () => {
  const { cli, requests } = await open(1);
  const args = ['experiment', 'export', 'exp_1', '--format', 'csv'];
  expect(await cli.run(args)).toMatchObject({ code: 0, stdout: 'exposures-job_1.csv\n' });
  expect(requests).toEqual([
    { project_id: 'prj_1', name: 'export from the CLI', experiment_id: 'exp_1', format: 'CSV' },
  ]);
});

test.each([[['users', '--since', '1']], [['items', '--format', 'xml']], [['users', '--out', 'none/x.csv']]])(
  'export refuses %j before it submits a job',
  async (args) => {
    const { cli, requests } = await open(1);
    expect(await cli.run(['export', ...args])).toMatchObject({ code: 2, stdout: '' });
    expect(requests).toEqual([]);
  },
);
