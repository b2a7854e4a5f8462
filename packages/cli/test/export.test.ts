import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openWithFiles } from './open-cli.ts';

/** A service with one project, whose exports have `count` files. */
const open = (count: number) => {
  const datasets = { user_dataset_id: 'uds_1', item_dataset_id: 'ids_1', event_dataset_id: 'eds_1' };
  const projects = [{ project_id: 'prj_1', ...datasets }];
  return openWithFiles(count, 'EXPORT', { record_count: 7 }, { '/list-projects': { projects } });
};

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
