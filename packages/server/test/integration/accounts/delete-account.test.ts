import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openObjectStore } from '../../../src/kernel/objects/open.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { keyCacheMs } from '../../../src/keys/key-cache.ts';
import { createKey } from '../../../src/keys/manage-keys.ts';
import {
  type AnalysedProject,
  makeTwoTastes,
  resultOf,
  submitClustering,
} from '../stack/analysed-project.ts';
import { Caller, newAccount } from '../stack/caller.ts';
import { cloneDatabase, connectTo, openTestDatabase } from '../stack/database.ts';
import { deploy } from '../stack/deployment-cell.ts';
import { select } from '../stack/kinds.ts';
import { startServer, thisMain } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';

let store: ObjectStore;
let folder: string;
let env: Record<string, string>;

const database = perFile(() => cloneDatabase());
const db = perFile(() => openTestDatabase(database.url, 4));
const holder = perFile(() => connectTo(database.url));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  const objectsUrl = pathToFileURL(folder).href;
  env = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), OBJECTS_URL: objectsUrl };
  const { objects } = readConfig(env);
  if (!objects) throw new Error('OBJECTS_URL is set above');
  store = await openObjectStore(objects);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command as an operator would. */
function admin(...args: string[]) {
  const child = spawn(process.execPath, [thisMain, 'admin', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const end = async () => {
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  };
  return { child, ended: end() };
}

const newCaller = async (baseUrl: string) => new Caller(baseUrl, await newAccount(db));

/** A project with a result, a deployment, a running experiment, user records and a receipt. */
async function furnish(caller: Caller): Promise<AnalysedProject> {
  const project = await makeTwoTastes(caller, 20);
  const { project_id, user_dataset_id, model_id } = project;
  await caller.call('upsertDatasetUsers', { user_dataset_id, users: [{ user_id: 'u1' }] });
  await resultOf(caller, project_id, await submitClustering(caller, project));
  await deploy(caller, project, { generator_model_id: model_id });
  // A model of a running experiment cannot be deleted on its own.
  await caller.call('createExperiment', {
    project_id,
    name: 'e',
    scenario: 'default',
    variants: [{ name: 'a' }, { name: 'b', model_id }],
  });
  await caller.call('eraseUser', { user_id: 'nobody' });
  const email = `${caller.accountId}@example.com`;
  await caller.call('invitePerson', { email, name: 'Somebody', role: 'VIEWER' });
  return project;
}

/** How many rows each table has for the account, by its own column or through projects and datasets. */
async function rowsOf(accountId: string): Promise<Record<string, number>> {
  const tables = await select<{ name: string }>(
    db,
    `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE a.attname = 'account_id' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables)
    counts[name] = (await select(db, `SELECT FROM ${name} WHERE account_id = $1`, [accountId])).length;
  return counts;
}

const recordsOf = async (keys: readonly number[]) => {
  const [row] = await select<{ records: number }>(
    db,
    `SELECT ((SELECT count(*) FROM events WHERE dataset_key = ANY ($1)) + (SELECT count(*) FROM users WHERE dataset_key = ANY ($1))
      + (SELECT count(*) FROM items WHERE dataset_key = ANY ($1)))::int AS records`,
    [keys],
  );
  return row?.records;
};

const datasetsOf = async (accountId: string) =>
  (
    await select<{ dataset_key: number }>(db, 'SELECT dataset_key FROM datasets WHERE account_id = $1', [
      accountId,
    ])
  ).map((row) => row.dataset_key);

const putImport = (accountId: string) =>
  store.put(`imports/${accountId}/2026/users.csv`, [Buffer.from('user_id\nu1\n')]);

const objectKeys = async () => (await store.list('')).objects.map(({ key }) => key);

test('an account is deleted completely, even with kills in between, and no other account is affected', async () => {
  let accountId = '';
  let kept: Caller;
  let keptRows: Record<string, number>;
  let keptKeys: number[];
  let keptObjects: string[];
  let keptProject: AnalysedProject;
  let doomedKeys: number[];
  {
    await using server = await startServer('all-in-one', env);
    kept = await newCaller(server.baseUrl);
    keptProject = await furnish(kept);
    await putImport(kept.credentials.accountId);
    keptObjects = await objectKeys();
    const doomed = await newCaller(server.baseUrl);
    ({ accountId } = doomed.credentials);
    const { event_dataset_id } = await furnish(doomed);
    await putImport(accountId);
    // While its row is locked, the dataset is not purged, so the kill below meets a deletion in progress.
    await holder.query('BEGIN');
    await holder.query('SELECT FROM datasets WHERE dataset_id = $1 FOR KEY SHARE', [event_dataset_id]);
    keptKeys = await datasetsOf(kept.credentials.accountId);
    doomedKeys = await datasetsOf(accountId);
    await expect
      .poll(async () => (await select(db, 'SELECT FROM erasures WHERE finished_at IS NULL')).length, {
        timeout: 30_000,
      })
      .toBe(0);
    keptRows = await rowsOf(kept.credentials.accountId);

    const unconfirmed = await admin('delete-account', '--account', accountId).ended;
    expect(unconfirmed.code).toBe(1);
    expect(unconfirmed.stderr).toContain('--yes');
    expect((await doomed.ask('listProjects', {})).status).toBe(200);

    const first = admin('delete-account', '--account', accountId, '--yes');
    const revoked = async () =>
      (await select(db, 'SELECT FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL', [accountId]))
        .length;
    await expect.poll(revoked, { timeout: 30_000 }).toBe(0);
    await sleep(keyCacheMs + 100);
    expect((await doomed.ask('listProjects', {})).status).toBe(401);
    await expect(createKey(db, 'main', accountId, null)).rejects.toThrow();
    const marked = async () =>
      (
        await select<{ datasets: string }>(
          db,
          `SELECT removed->>'datasets' AS datasets FROM account_deletions`,
        )
      )[0]?.datasets;
    await expect.poll(marked, { timeout: 30_000 }).toBe('3');
    // The records of one are held by the lock above, so its dataset stays.
    await expect.poll(async () => (await datasetsOf(accountId)).length, { timeout: 30_000 }).toBe(1);
    first.child.kill('SIGKILL');
    server.signal('SIGKILL');
    await Promise.all([first.ended, server.ended]);
    expect(await rowsOf(accountId)).toMatchObject({
      account_deletions: 1,
      accounts: 1,
      datasets: 1,
      projects: 0,
    });
    await holder.query('ROLLBACK');
  }

  // Run again, the command waits for the same deletion and ends with its receipt.
  await using server = await startServer('all-in-one', env);
  const { code, stdout, stderr } = await admin('delete-account', '--account', accountId, '--yes', '--json')
    .ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({
    account_id: accountId,
    status: 'DELETED',
    removed: { projects: 1, models: 1, datasets: 3, keys: 1, erasures: 1, people: 1 },
  });
  const left = await rowsOf(accountId);
  expect(Object.entries(left).filter(([, count]) => count > 0)).toEqual([['account_deletions', 1]]);
  expect(await recordsOf(doomedKeys)).toBe(0);
  await expect.poll(objectKeys, { timeout: 30_000 }).toEqual(keptObjects);

  expect(await rowsOf(kept.credentials.accountId)).toEqual(keptRows);
  expect(await recordsOf(keptKeys)).toBe(40 + 240 + 1);
  const again = new Caller(server.baseUrl, kept.credentials);
  const { project_id } = keptProject;
  const { results } = await again.call('recommendItemsToUser', { project_id, user_id: 'u1', limit: 1 });
  expect(results).toHaveLength(1);

  // Run once more, it shows the receipt; an unknown account is not found.
  const once = await admin('delete-account', '--account', accountId, '--yes', '--json').ended;
  expect(JSON.parse(once.stdout)).toMatchObject({ status: 'DELETED' });
  expect((await admin('delete-account', '--account', 'acc_nobody', '--yes').ended).code).toBe(1);
}, 240_000);
