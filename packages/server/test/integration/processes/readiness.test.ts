import { findFreePort } from '@tastegraph/dev';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../../src/config.ts';
import { startAllInOne } from '../../../src/processes/all-in-one.ts';
import { startApi } from '../../../src/processes/api.ts';
import type { Runtime } from '../../../src/processes/run.ts';
import { startServing } from '../../../src/processes/serving.ts';
import { startWorker } from '../../../src/processes/worker.ts';
import { Cursors, SharedCursors } from '../../../src/serving/state/cursors.ts';
import { startTestApi } from '../stack/api.ts';
import { connectTo } from '../stack/database.ts';

async function ask(url: string): Promise<{ status: number; body: { status: string; reason?: string } }> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: (await response.json()) as { status: string; reason?: string } };
}

/** Makes every new session of the database read-only and closes the open ones. */
async function makeReadOnly(databaseUrl: string, readOnly: boolean): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await using client = await connectTo(databaseUrl);
  await client.query('SET default_transaction_read_only = off');
  await client.query(
    `ALTER DATABASE ${name} ${readOnly ? 'SET default_transaction_read_only = on' : 'RESET default_transaction_read_only'}`,
  );
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
    [name],
  );
}

/** A worker listens only on its metrics port. */
async function startWorkerHere(runtime: Runtime): Promise<string> {
  await startWorker(runtime);
  return `http://127.0.0.1:${runtime.config.metricsPort}`;
}

const starts: [Role, (runtime: Runtime) => Promise<string>, number][] = [
  ['api', startApi, 503],
  ['all-in-one', startAllInOne, 503],
  ['worker', startWorkerHere, 503],
  ['serving', startServing, 200],
];

describe.each(starts)('%s', (role, start, status) => {
  test(`answers ${status} on a database that can only be read, and says why`, async () => {
    const port = await findFreePort();
    const metricsUrl = `http://127.0.0.1:${port}`;
    const settings = { METRICS_PORT: String(port) };
    await using api = await startTestApi(settings, start, role);
    const urls = [api.baseUrl, metricsUrl];
    const ready = { status: 200, body: { status: 'ready' } };
    for (const url of urls) expect(await ask(url)).toEqual(ready);

    await makeReadOnly(api.databaseUrl, true);
    const readOnly = { status, body: { reason: expect.stringMatching(/read-only/) as string } };
    await expect.poll(() => ask(metricsUrl)).toMatchObject(readOnly);
    for (const url of urls) expect(await ask(url)).toMatchObject(readOnly);

    await makeReadOnly(api.databaseUrl, false);
    await expect.poll(() => ask(api.baseUrl)).toEqual(ready);
  });
});

test('a serving process starts on a read-only database without a secret, and creates it when it can', async () => {
  const before = async (runtime: Runtime) => {
    await makeReadOnly(runtime.config.databaseUrl, true);
    // The pool has sessions that were closed.
    const answers = () =>
      runtime.db.rows({ name: '', text: 'SELECT' }, []).then(
        () => true,
        () => false,
      );
    await expect.poll(answers).toBe(true);
    return startServing(runtime);
  };
  await using api = await startTestApi({}, before, 'serving');
  expect((await ask(api.baseUrl)).status).toBe(200);
  const cursors = new SharedCursors(api.db);
  expect(await cursors.get()).toBeUndefined();
  await makeReadOnly(api.databaseUrl, false);
  // The pool may first have to replace its sessions.
  await expect.poll(() => cursors.get().catch(() => undefined)).toBeInstanceOf(Cursors);
  const cursor = (await cursors.get())?.seal('list', [1, 2]) ?? '';
  const other = await new SharedCursors(api.db).get();
  expect(other?.open('list', cursor)).toEqual(new Set([1, 2]));
});
