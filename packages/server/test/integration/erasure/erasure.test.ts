import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { objectFolders } from '../../../src/erasure/places.ts';
import {
  follow,
  makeTwoTastes,
  resultOf,
  submitClustering,
  submitQueries,
} from '../stack/analysed-project.ts';
import { api, caller, invalid, ownProduct, perFile, untilErased } from '../stack/stack.ts';
import { makeEmptyProject, trainModel } from '../stack/training.ts';

ownProduct();
const project = perFile(() => makeTwoTastes(caller, 20));

const eventsOf = async (user_id: string) => {
  const text = 'SELECT FROM events JOIN datasets USING (dataset_key) WHERE account_id = $1 AND user_id = $2';
  return (await api.rows(text, [caller.accountId, user_id])).length;
};

const doneErasure = (erasure_id: string) => untilErased(caller, erasure_id);

/** Keys of objects that contain the text anywhere. */
async function objectsWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of await api.objectKeys()) {
    const { bytes } = await api.store.read(key);
    if (Buffer.concat((await bytes.toArray()) as Buffer[]).includes(text)) found.push(key);
  }
  return found;
}

const event = (user_id: string, n: number) => ({
  event_id: `${user_id}-${n}`,
  user_id,
  item_id: `i${n % 40}`,
  ts: 1_700_000_000_000 + n,
  event_type: 'buy',
});

describe('/erase-user', () => {
  test('removes records, results and snapshots that contain the user, keeps the others, and gives a receipt', async () => {
    const user_id = 'reader "Ü" 1';
    const { project_id, event_dataset_id, user_dataset_id } = project;
    const before = project.model_id;
    const users = [{ user_id }, { user_id: 'another' }];
    await caller.call('upsertDatasetUsers', { user_dataset_id, users });
    const events = Array.from({ length: 12 }, (_, n) => event(user_id, n));
    await caller.call('upsertDatasetEvents', { event_dataset_id, events });
    const dataset = { name: 'second', num_shards: 1 };
    const { event_dataset_id: second } = await caller.call('createEventDataset', dataset);
    await caller.call('upsertDatasetEvents', { event_dataset_id: second, events: [event(user_id, 1)] });
    const model_id = await trainModel(caller, project);
    const of = { project_id, model_id };
    const everybody = {
      query_type: 'user_list' as const,
      queries: [{ conditions: [{ attribute: 'parity', value: 'odd', lower_bound: 0 }] }],
    };
    const list = await submitQueries(caller, of, { ...everybody, table_format: 'CSV' });
    // Its table has no other users than the list, so it is kept with it.
    const ofBefore = { project_id, model_id: before };
    const listBefore = await submitQueries(caller, ofBefore, { ...everybody, table_format: 'PARQUET' });
    const distribution = await submitQueries(caller, of, {
      query_type: 'user_distribution',
      queries: [{ attribute: 'parity', value: 'odd' }],
    });
    const groups = await submitClustering(caller, of);
    const results = await Promise.all(
      [list, listBefore, distribution, groups].map((job) => resultOf(caller, project_id, job)),
    );
    expect(await objectsWith('reader ')).toHaveLength(4);

    const erasure = await caller.call('eraseUser', { user_id });
    expect(erasure.erasure_id).toMatch(/^ers_/);
    expect(erasure.records_deleted_ts).not.toBeNull();
    expect(await eventsOf(user_id)).toBe(0);
    const receipt = await doneErasure(erasure.erasure_id);
    expect(receipt.removed.toSorted((a, b) => (a.kind + a.where < b.kind + b.where ? -1 : 1))).toEqual([
      { where: event_dataset_id, kind: 'EVENTS', count: 12 },
      { where: second, kind: 'EVENTS', count: 1 },
      { where: project_id, kind: 'RESULTS', count: 2 },
      { where: project_id, kind: 'SNAPSHOTS', count: 1 },
      { where: user_dataset_id, kind: 'USERS', count: 1 },
    ]);
    expect(receipt.remains.length).toBeGreaterThan(0);
    expect(receipt.finished_ts).toBeGreaterThanOrEqual(receipt.created_ts);

    // When the receipt says DONE, no object contains the user, not even one that serves.
    expect(await objectsWith('reader ')).toEqual([]);
    const statuses = await Promise.all(
      results.map(async ({ download_url }) => (await follow(caller, download_url)).status),
    );
    expect(statuses).toEqual([404, 200, 200, 404]);
    // The model stays and can serve; jobs that need its snapshot fail with advice.
    await caller.call('getModel', of);
    const clustering = { name: 'x', cluster_type: 'user', parameters: {}, ...of };
    expect(await caller.ask('submitClusteringJob', clustering)).toMatchObject(invalid('model_id'));
    await resultOf(caller, project_id, await submitClustering(caller, ofBefore));
    // Other users and their records stay.
    expect((await caller.call('getUserDataset', { user_dataset_id })).record_count).toBe(1);
    expect(await eventsOf('u1')).toBe(12);
  }, 120_000);

  test('keeps no ID of the user in the database once it is done, and names the files that it does not reach', async () => {
    const { project_id, event_dataset_id, user_dataset_id } = project;
    const user_id = 'was-here-once';
    await caller.call('upsertDatasetUsers', { user_dataset_id, users: [{ user_id }] });
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: [event(user_id, 1)] });
    const { schedule_id } = await caller.call('createSchedule', {
      project_id,
      name: 'for some',
      cron: '0 3 * * *',
      what: { job_type: 'RECOMMENDING', request: { format: 'NDJSON', user_ids: [user_id, 'u2'] } },
    });
    const file = `imports/${caller.accountId}/users.csv`;
    await api.store.put(file, [Buffer.from(`user_id\n${user_id}\n`)]);
    /** Tables with a row that has the ID anywhere. */
    const traces = async () => {
      const tables = await api.rows<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await api.rows(`SELECT FROM ${name} t WHERE t::text LIKE '%' || $1 || '%'`, [user_id]);
        if (rows.length > 0) found.push(name.replace(/_p\d+$/, ''));
      }
      return [...new Set(found)];
    };
    expect(await traces()).toEqual(['events', 'schedules', 'users']);
    const { erasure_id } = await caller.call('eraseUser', { user_id });
    const receipt = await doneErasure(erasure_id);
    expect(receipt.user_id).toBeNull();
    expect(await traces()).toEqual([]);
    const schedule = await caller.call('getSchedule', { project_id, schedule_id });
    expect(schedule.what.request).toMatchObject({ user_ids: ['u2'] });
    expect(await objectsWith(user_id)).toEqual([file]);
    expect(receipt.remains.filter(({ what }) => what.includes('`imports/`'))).toHaveLength(1);
    await api.store.delete(file);
    const folders = (await api.objectKeys()).map((key) => key.split('/')[0]);
    for (const folder of folders) expect(Object.keys(objectFolders)).toContain(folder);
  });

  test('keeps files that contain the ID only as part of another ID', async () => {
    const { project_id, model_id } = project;
    await resultOf(caller, project_id, await submitClustering(caller, { project_id, model_id }));
    const files = await api.objectKeys();
    // u1 is part of u10 and so on; and one byte that any binary file contains.
    for (const user_id of ['u', '1', 'user_id', '0']) {
      const { erasure_id } = await caller.call('eraseUser', { user_id });
      expect((await doneErasure(erasure_id)).removed).toEqual([]);
    }
    expect(await api.objectKeys()).toEqual(files);
    const { erasure_id } = await caller.call('eraseUser', { user_id: 'u1' });
    expect((await doneErasure(erasure_id)).removed.map(({ kind }) => kind).toSorted()).toEqual([
      'EVENTS',
      'RESULTS',
      'SNAPSHOTS',
    ]);
  }, 60_000);

  test("keeps other accounts' records of the same ID, and shows its receipt to no other account", async () => {
    const other = await api.newCaller();
    const { event_dataset_id } = await other.call('createEventDataset', { name: 'e', num_shards: 1 });
    await other.call('upsertDatasetEvents', { event_dataset_id, events: [event('shared', 1)] });
    const { erasure_id } = await caller.call('eraseUser', { user_id: 'shared' });
    await doneErasure(erasure_id);
    expect((await other.call('getEventDataset', { event_dataset_id })).record_count).toBe(1);
    expect((await other.ask('getErasure', { erasure_id })).status).toBe(404);
  });

  test('treats an event that arrives afterwards as new data', async () => {
    const { event_dataset_id } = project;
    const send = () =>
      caller.call('upsertDatasetEvents', { event_dataset_id, events: [event('returning', 1)] });
    await send();
    const first = await caller.call('eraseUser', { user_id: 'returning' });
    await doneErasure(first.erasure_id);
    await send();
    expect(await eventsOf('returning')).toBe(1);
    const second = await caller.call('eraseUser', { user_id: 'returning' });
    expect(second.erasure_id).not.toBe(first.erasure_id);
    expect((await doneErasure(second.erasure_id)).removed).toEqual([
      { where: event_dataset_id, kind: 'EVENTS', count: 1 },
    ]);
  });

  test('waits for a training that began before it, and removes what that published', async () => {
    const { project_id, event_dataset_id } = project;
    const user_id = 'trained-meanwhile';
    const events = Array.from({ length: 5 }, (_, n) => event(user_id, n));
    await caller.call('upsertDatasetEvents', { event_dataset_id, events });
    const model_id = await trainModel(caller, project);
    // As if the training that published the model were still running.
    const hide = `UPDATE models SET project_key = (SELECT project_key FROM projects WHERE project_id = $2) WHERE model_id = $1`;
    const { project_id: elsewhere } = await makeEmptyProject(await api.newCaller());
    await api.rows(hide, [model_id, elsewhere]);
    const [job] = await api.rows<{ job_id: string }>(
      `UPDATE jobs SET job_status = 'RUNNING', heartbeat_at = clock_timestamp() + interval '1 hour'
        WHERE job_key = (SELECT job_key FROM models WHERE model_id = $1) RETURNING job_id`,
      [model_id],
    );
    const { erasure_id } = await caller.call('eraseUser', { user_id });
    await sleep(3000);
    expect((await caller.call('getErasure', { erasure_id })).status).toBe('RUNNING');
    await api.rows(hide, [model_id, project_id]);
    await api.rows(`UPDATE jobs SET job_status = 'SUCCEED' WHERE job_id = $1`, [job?.job_id]);
    expect((await doneErasure(erasure_id)).removed).toContainEqual({
      where: project_id,
      kind: 'SNAPSHOTS',
      count: 1,
    });
    expect(await objectsWith(user_id)).toEqual([]);
  }, 60_000);
});

describe('an interrupted erasure', () => {
  test('continues when it is requested again, or when a worker resumes it', async () => {
    const { event_dataset_id } = project;
    const user_id = 'cut-off';
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: [event(user_id, 1)] });
    // What a process leaves that was killed after it wrote the row: nothing deleted, and a lease.
    const started = (id: string, user: string) =>
      api.rows(
        `INSERT INTO erasures (erasure_id, account_id, user_id, due_at) VALUES ($1, $2, $3, clock_timestamp() + interval '1 hour')`,
        [id, caller.accountId, user],
      );
    await started('ers_cut_off', user_id);
    const again = await caller.call('eraseUser', { user_id });
    expect(again.erasure_id).toBe('ers_cut_off');
    expect(await eventsOf(user_id)).toBe(0);
    await doneErasure('ers_cut_off');

    await caller.call('upsertDatasetEvents', { event_dataset_id, events: [event(user_id, 2)] });
    await started('ers_resumed', user_id);
    await api.rows(`UPDATE erasures SET due_at = clock_timestamp() WHERE erasure_id = 'ers_resumed'`);
    const { removed } = await doneErasure('ers_resumed');
    expect(removed).toEqual([{ where: event_dataset_id, kind: 'EVENTS', count: 1 }]);
    expect(await eventsOf(user_id)).toBe(0);
  });

  test('deletes more than one step of events, also with concurrent calls', async () => {
    const { event_dataset_id } = project;
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: [event('busy', 0)] });
    await api.rows(
      `INSERT INTO events (dataset_key, event_id, user_id, item_id, ts, event_type, event_value)
        SELECT dataset_key, 'busy-' || n, 'busy', 'i1', n, 'view', 1 FROM datasets, generate_series(1, 12000) n WHERE dataset_id = $1`,
      [event_dataset_id],
    );
    const calls = await Promise.all([1, 2, 3].map(() => caller.call('eraseUser', { user_id: 'busy' })));
    expect(new Set(calls.map(({ erasure_id }) => erasure_id)).size).toBe(1);
    expect(await eventsOf('busy')).toBe(0);
    expect((await doneErasure(calls[0]?.erasure_id ?? '')).removed).toEqual([
      { where: event_dataset_id, kind: 'EVENTS', count: 12_001 },
    ]);
  });
});
