import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { orphanedObjects } from '../../../src/jobs/metrics.ts';
import { type SweepContext, sweepPage } from '../../../src/jobs/objects/sweep-objects.ts';
import { createMetrics } from '../../../src/kernel/observability/metrics.ts';
import { makeTwoTastes, resultOf, submitQueries } from '../stack/analysed-project.ts';
import { api, caller, ownProduct } from '../stack/stack.ts';

let sweeping: SweepContext;
let kept: string[];

ownProduct();

beforeAll(async () => {
  const project = await makeTwoTastes(caller, 20);
  const queries = [{ attribute: 'parity', value: 'odd' }];
  const job = await submitQueries(caller, project, { query_type: 'user_distribution', queries });
  await resultOf(caller, project.project_id, job);
  kept = await api.objectKeys();
  sweeping = {
    db: api.db,
    store: api.store,
    log: pino({ level: 'silent' }),
    metrics: createMetrics([orphanedObjects]),
  };
}, 120_000);

const due = () => api.rows('UPDATE periodic_tasks SET due_at = clock_timestamp(), position = NULL');
/** All pages of a round, with one object each. */
async function sweepAll(minAgeMs: number): Promise<void> {
  await due();
  const store: SweepContext['store'] = {
    list: (prefix, options) => api.store.list(prefix, { ...options, limit: 1 }),
  };
  while (await sweepPage({ ...sweeping, store, minAgeMs }));
}

test('objects that no row refers to are removed once they are old, and no others', async () => {
  expect(
    kept.some((key) => key.startsWith('models/')) && kept.some((key) => key.startsWith('results/')),
  ).toBe(true);
  const orphans = ['models/job_gone/1.tgm', 'models/job_gone/1.tgs', 'results/job_gone/1/users.ndjson'];
  const [running] = await api.rows<{
    job_id: string;
    job_key: number;
  }>(`INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status, attempt, heartbeat_at)
      SELECT 'job_running', account_id, project_key, 'TRAINING', 'x', '{}', 1, 'RUNNING', 2, now() FROM projects RETURNING job_id, job_key`);
  // Being written by a running attempt: its key is recorded first.
  const writing = ['models/job_running/2.tgm', 'results/written/1/users.ndjson'];
  const hold = 'INSERT INTO loose_objects (object_key, job_key, attempt) VALUES ($1, $2, 2)';
  for (const key of writing) await api.rows(hold, [key, running?.job_key]);
  const others = ['exports/job_gone/1.csv'];
  for (const key of [...orphans, ...writing, ...others]) await api.store.put(key, [Buffer.from('x')]);

  await sweepAll(24 * 3600_000);
  expect(await api.rows('SELECT FROM loose_objects WHERE job_key IS NULL')).toEqual([]);
  await sweepAll(0);
  await expect.poll(() => api.objectKeys()).toEqual([...kept, ...writing, ...others].toSorted());
  expect(await sweeping.metrics.read()).toMatch(/^tastegraph_orphaned_objects_total 3$/m);
});

test('one worker at a time runs a round, another continues where it stopped, and the next round is due a day later', async () => {
  await due();
  const asked: (string | undefined)[] = [];
  const store: SweepContext['store'] = {
    list: async (prefix, options) => {
      asked.push(options?.after);
      // While it lists the store, another worker has nothing to do.
      expect(await sweepPage(sweeping)).toBe(false);
      return api.store.list(prefix, { ...options, limit: 2 });
    },
  };
  expect(await sweepPage({ ...sweeping, store })).toBe(true);
  while (await sweepPage({ ...sweeping, store }));
  expect(asked[0]).toBeUndefined();
  expect(asked.slice(1).every((after) => after !== undefined)).toBe(true);
  expect(await sweepPage(sweeping)).toBe(false);
});
