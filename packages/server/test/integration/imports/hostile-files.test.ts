import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { hostileParquet } from '../../../../files/test/hostile-parquet.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { makeProject, type TestProject, waitForJob } from '../stack/training.ts';

ownProduct({ IMPORT_CPU_SECONDS: '1', IMPORT_MEMORY_MB: '256' });
const small = { users: 2, items: 2, each: 1 };
const project = perFile(() => makeProject(caller, small));

const put = (path: string, content: string | Buffer, by = caller) =>
  api.store.put(`imports/${by.credentials.accountId}/${path}`, [Buffer.from(content)]);

async function submit(path: string, by = caller, { project_id, event_dataset_id }: TestProject = project) {
  const { job_id } = await by.call('submitImportJob', { name: 'a', project_id, event_dataset_id, path });
  return job_id;
}

const ended = async (path: string) => waitForJob(caller, project.project_id, await submit(path));

describe('a file of a stranger', () => {
  test.each(Object.keys(hostileParquet) as (keyof typeof hostileParquet)[])(
    '%s, whose sizes are lies, fails once',
    async (name) => {
      await put(`hostile/${name}`, hostileParquet[name]);
      const job = await ended(`hostile/${name}`);
      expect(job).toMatchObject({ job_status: 'FAILED', retry_count: 0, error: { code: 'FILE_INVALID' } });
      expect((job.finished_ts ?? 0) - (job.started_ts ?? 0)).toBeLessThan(30_000);
    },
    60_000,
  );

  test.each([
    ['newlines', '', '\n'.repeat(2 ** 20)],
    [
      'equal rows',
      'user_id,item_id,event_type,ts,note\n',
      `u1,i1,buy,1700000000000,${'x'.repeat(2000)}\n`.repeat(400),
    ],
  ])(
    'that gzip made a thousandth of its size ends at a limit: %s',
    async (name, head, repeated) => {
      const path = `${name.replace(' ', '-')}.csv.gz`;
      const block = gzipSync(repeated);
      // A gzip file may have any number of parts.
      await put(path, Buffer.concat([gzipSync(head), ...Array.from({ length: 400 }, () => block)]));
      const job = await ended(path);
      expect(job).toMatchObject({ job_status: 'FAILED', retry_count: 0, error: { code: 'FILE_INVALID' } });
    },
    60_000,
  );
});

test('ten files that hang their readers keep nobody else from importing', async () => {
  const other = await api.newCaller();
  const theirs = await makeProject(other, small);
  await put('hostile/run.parquet', hostileParquet['run.parquet']);
  const hostile = await Promise.all(Array.from({ length: 10 }, () => submit('hostile/run.parquet')));
  await waitForJob(caller, project.project_id, hostile[0] ?? '', (job) => job.job_status !== 'PENDING');
  await put('one.csv', 'user_id,item_id,event_type,ts\nu1,i1,buy,1700000000000\n', other);
  const job_id = await submit('one.csv', other, theirs);
  const { created_ts, finished_ts, job_status } = await waitForJob(other, theirs.project_id, job_id);
  expect(job_status).toBe('SUCCEED');
  expect((finished_ts ?? 0) - created_ts).toBeLessThan(10_000);
  for (const id of hostile) await caller.ask('cancelJob', { project_id: project.project_id, job_id: id });
}, 60_000);
