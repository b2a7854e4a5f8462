import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres } from '@tastegraph/dev';
import { expect, inject, test } from 'vitest';
import { Caller, makeCredentials, withoutId } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { makeDeployed } from '../stack/deployment-cell.ts';
import { startServer } from '../stack/server-process.ts';
import { trainModel } from '../stack/training.ts';

const run = promisify(execFile);

test('a dump and a copy of the objects, restored elsewhere, give the same service', async () => {
  await using stack = new AsyncDisposableStack();
  const place = await mkdtemp(join(tmpdir(), 'tastegraph-backup-'));
  stack.defer(() => rm(place, { recursive: true, force: true }));
  const lost = await cloneDatabase();
  stack.defer(lost.drop);
  const objects = join(place, 'objects');
  const settings = (databaseUrl: string, folder: string) => ({
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    OBJECTS_URL: pathToFileURL(folder).href,
    SERVING_DEADLINE_MS: '20000',
    TRAINING_THREADS: '1',
  });
  const credentials = await makeCredentials(lost.url);

  const first = stack.use(await startServer('all-in-one', settings(lost.url, objects)));
  const caller = new Caller(first.baseUrl, credentials);
  const project = await makeDeployed(caller);
  const question = { project_id: project.project_id, user_id: 'u1', limit: 10 };
  const before = await caller.call('recommendItemsToUser', question);
  expect(before.results).toHaveLength(10);

  // While the service runs, and the database first: every object exists before a row refers to it.
  const other = await startPostgres({ binaries: process.env['TEST_POSTGRES'] ?? 'auto' });
  stack.defer(() => other.stop());
  const dump = join(place, 'tastegraph.dump');
  await run(join(other.binDirectory, 'pg_dump'), ['--format=custom', `--file=${dump}`, lost.url]);
  await cp(objects, join(place, 'copy'), { recursive: true });
  first.signal('SIGKILL');
  await first.ended;

  await run(join(other.binDirectory, 'pg_restore'), [
    '--exit-on-error',
    '--no-owner',
    `--dbname=${other.url}`,
    dump,
  ]);
  const second = stack.use(await startServer('all-in-one', settings(other.url, join(place, 'copy'))));
  const restored = new Caller(second.baseUrl, credentials);
  const after = await restored.call('recommendItemsToUser', question);
  expect(withoutId(after)).toEqual(withoutId(before));
  expect(await trainModel(restored, project)).not.toBe(project.model_id);
}, 180_000);
