import { limits, type Request, type Response } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/http/api-error.ts';
import { listAccountUsage } from '../../../src/usage/get-usage.ts';
import { addCallCounts, purgeCallCounts } from '../../../src/usage/rows/call-counts.ts';
import { purgeDatasetSizes, recordDatasetSizes } from '../../../src/usage/rows/record-history.ts';
import { UsageRecorder } from '../../../src/usage/usage-recorder.ts';
import { placeOf } from '../stack/kinds.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { makeProject } from '../stack/training.ts';

ownProduct();
const project = perFile(() => makeProject(caller));

const dayMs = 24 * 3600_000;
/** Counts are flushed every ten seconds, and a busy machine takes longer. */
const flushed = { timeout: 40_000, interval: 500 };

const statistics = (range: Omit<Request<'getProjectStatistics'>, 'project_id'> = {}) =>
  caller.call('getProjectStatistics', { project_id: project.project_id, ...range });

describe('the statistics of a project', () => {
  test('count recommendation calls and their errors within seconds', async () => {
    const before = (await statistics()).calls.at(-1)?.calls ?? 0;
    // The project has no deployment, so the calls fail.
    for (let call = 0; call < 3; call++) {
      const request = { project_id: project.project_id, user_id: 'u1' };
      expect((await caller.ask('recommendItemsToUser', request)).status).toBeGreaterThanOrEqual(400);
    }
    await expect.poll(async () => (await statistics()).calls.at(-1)?.calls, flushed).toBe(before + 3);
    const [today] = (await statistics({ interval: 'HOUR' })).calls;
    expect(today).toMatchObject({ degraded: 0, refused: 0, server_errors: 0 });
    expect(today?.client_errors).toBe(today?.calls);
    expect(today?.p99_ms).toBeNull();
    const { total } = await statistics();
    expect(total).toMatchObject({ calls: before + 3, client_errors: before + 3, p50_ms: null });
  });

  test('count the events that were written by day and type, and the records of today', async () => {
    const { event_dataset_id } = project;
    const today = Date.now() - (Date.now() % dayMs);
    const wish = { user_id: 'u1', item_id: 'i1', event_type: 'wish' };
    const before = (await statistics()).records.at(-1)?.events ?? 0;
    const daysAgo = [0, 1, 1, 8000, 500];
    const wishes = daysAgo.map((days, n) => ({ ...wish, event_id: `n${n + 1}`, ts: today - days * dayMs }));
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: wishes });
    const counted = async () =>
      (await statistics()).events
        .filter(({ event_type }) => event_type === 'wish')
        .map(({ ts, events }) => [ts, events]);
    await expect.poll(counted, flushed).toEqual([
      [today - dayMs, 2],
      [today, 1],
    ]);
    expect((await statistics()).records.at(-1)).toMatchObject({ ts: today, events: before + 5 });
    const since_ts = today - 8100 * dayMs;
    const { events } = await statistics({ since_ts, until_ts: since_ts + 300 * dayMs });
    expect(events).toEqual([]);
  });

  test('are those of the own account only, and need a valid range', async () => {
    const other = await api.newCaller();
    const { status } = await other.ask('getProjectStatistics', { project_id: project.project_id });
    expect(status).toBe(404);
    const now = Date.now();
    for (const range of [
      { since_ts: now, until_ts: now - 1 },
      { since_ts: now - 500 * dayMs },
      { since_ts: now - 60 * dayMs, interval: 'HOUR' as const },
    ]) {
      const answer = await caller.ask('getProjectStatistics', { project_id: project.project_id, ...range });
      expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ path: 'since_ts' }] }]);
    }
  });
});

describe('usage', () => {
  test('shows what the account uses of its plan', async () => {
    const { plan, resources } = await caller.call('getUsage', {});
    expect(plan).toBe('default');
    const of = (name: string) => resources.find(({ resource }) => resource === name);
    expect(of('EVENT_SHARDS')).toMatchObject({ limit: 10_000 });
    expect(of('EVENT_SHARDS')?.used).toBeGreaterThan(0);
    expect(of('PROJECTS')).toMatchObject({ used: 1, limit: 1000 });
    expect(of('TRAINING_HOURS')).toMatchObject({ limit: null });
    expect(of('RECORDS')?.used).toBeGreaterThan(0);
  });

  test('counts calls by project and key, and those for unknown projects under no project', async () => {
    const { apiKey } = caller.credentials;
    await caller.ask('getProject', { project_id: 'prj_of_nobody' });
    const rows = async () => (await caller.call('getUsage', {})).calls;
    const hasOthers = async () => (await rows()).some(({ project_id }) => project_id === null);
    await expect.poll(hasOthers, flushed).toBe(true);
    for (const row of await rows()) {
      expect(row).toMatchObject({ caller_type: 'API_KEY', caller_id: apiKey });
      expect([project.project_id, null]).toContain(row.project_id);
    }
  });
});

describe("the operator's list of usage", () => {
  test('has one row per account, with its calls', async () => {
    const { accountId } = caller.credentials;
    const rowOf = async () => {
      const answer = await listAccountUsage(api.db, { accountId: undefined, days: 30 });
      return (answer as { accounts: { account_id: string }[] }).accounts.find(
        ({ account_id }) => account_id === accountId,
      );
    };
    await expect.poll(rowOf, flushed).toMatchObject({ plan: 'default', projects: 1, recommendations: 3 });
  });

  test('has the calls of one account by caller and project, and says if there is none', async () => {
    const { accountId, apiKey } = caller.credentials;
    const { calls } = (await listAccountUsage(api.db, { accountId, days: 1 })) as Response<'getUsage'>;
    expect(calls.find(({ project_id }) => project_id === project.project_id)).toMatchObject({
      caller_id: apiKey,
      recommendations: 3,
    });
    await expect(listAccountUsage(api.db, { accountId: 'acc_nobody', days: 1 })).rejects.toThrow(ApiError);
  });
});

describe('counts', () => {
  const call = { callerId: 'tg_x', projectId: undefined, isRecommendation: true, isDegraded: true };
  const callsOf = (accountId: string) =>
    api.rows('SELECT calls::int FROM call_counts WHERE account_id = $1', [accountId]);

  test('of two processes are added to the same rows', async () => {
    const { accountId } = (await api.newCaller()).credentials;
    const recorders = [new UsageRecorder(), new UsageRecorder()];
    for (const recorder of recorders)
      for (const status of [200, 200, 404, 429, 503])
        recorder.callAnswered({ ...call, accountId, status, ms: 4 });
    await Promise.all(recorders.map((recorder) => recorder.flush(api.db)));
    // Nothing is added twice.
    await Promise.all(recorders.map((recorder) => recorder.flush(api.db)));
    const rows = await api.rows<Record<string, unknown>>(
      `SELECT calls::int, client_errors::int, refused::int, server_errors::int, degraded::int, durations::int[]
        FROM call_counts WHERE account_id = $1`,
      [accountId],
    );
    expect(rows).toMatchObject([{ calls: 10, client_errors: 2, refused: 2, server_errors: 2, degraded: 4 }]);
    const durations = rows[0]?.['durations'] as number[];
    expect(durations.reduce((sum, count) => sum + count, 0)).toBe(4);
  });

  test('that cannot be written wait for the next time', async () => {
    const { accountId } = (await api.newCaller()).credentials;
    const recorder = new UsageRecorder();
    recorder.callAnswered({ ...call, accountId, status: 200, ms: 4 });
    const broken = { rows: () => Promise.reject(new Error('unavailable')) };
    await expect(recorder.flush(broken)).rejects.toThrow('unavailable');
    recorder.callAnswered({ ...call, accountId, status: 200, ms: 4 });
    await recorder.flush(api.db);
    expect(await callsOf(accountId)).toEqual([{ calls: 2 }]);
  });

  test('of more types than are told apart are added up, per day', async () => {
    const { dataset_key } = await placeOf(api.db, project.event_dataset_id);
    const recorder = new UsageRecorder();
    const ts = Date.now() - 100 * dayMs;
    recorder.eventsWritten(
      dataset_key,
      Array.from({ length: 150 }, (_, index) => ({ ts, event_type: `type ${index}` })),
    );
    await recorder.flush(api.db);
    const { events } = await statistics({ since_ts: ts - dayMs, until_ts: ts + dayMs });
    expect(events).toHaveLength(limits.statisticsEventTypes + 1);
    expect(events.find(({ event_type }) => event_type === null)?.events).toBe(
      150 - limits.statisticsEventTypes,
    );
  });

  test('of records are written once per day and dataset, and replaced on the same day', async () => {
    const sizes = () =>
      api.rows<{ records: number }>(
        `SELECT s.records::int FROM projects p JOIN dataset_sizes s ON s.dataset_key = p.event_dataset_key
          WHERE p.project_id = $1`,
        [project.project_id],
      );
    const { records } = await statistics();
    await recordDatasetSizes(api.db, 0, 1000);
    await recordDatasetSizes(api.db, 0, 1000);
    expect(await sizes()).toEqual([{ records: records.at(-1)?.events }]);
  });

  test('that are old are removed a step at a time', async () => {
    const { accountId } = (await api.newCaller()).credentials;
    const hour = Math.floor(Date.now() / 3600_000);
    const row = (age: number) => ({
      account_id: accountId,
      project_id: '',
      hour: hour - age,
      caller_id: 'tg_x',
      is_recommendation: true,
      calls: 1,
      client_errors: 0,
      refused: 0,
      server_errors: 0,
      degraded: 0,
      durations: [],
    });
    await addCallCounts(api.db, [row(0), row(91 * 24), row(92 * 24), row(93 * 24)]);
    expect(await purgeCallCounts(api.db, 90, 2)).toBe(2);
    expect(await purgeCallCounts(api.db, 90, 2)).toBe(1);
    expect(await callsOf(accountId)).toHaveLength(1);

    await api.rows(
      `INSERT INTO dataset_sizes
        SELECT min(dataset_key), current_date - age, 1 FROM datasets, unnest(ARRAY[390, 410, 420]) AS age GROUP BY age`,
    );
    expect(await purgeDatasetSizes(api.db, 400, 1)).toBe(1);
    expect(await purgeDatasetSizes(api.db, 400, 10)).toBe(1);
  });
});
