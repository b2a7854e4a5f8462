import { afterEach, expect, inject, test } from 'vitest';
import { expireNext } from '../../../src/datasets/expire-events.ts';
import { claimExpiringDataset } from '../../../src/datasets/rows/purge.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import { startApi } from '../../../src/processes/api.ts';
import { connectTo, openTestDatabase, runSql } from '../stack/database.ts';
import { KindCaller, placeOf, recordOf } from '../stack/kinds.ts';
import { expectLogged, startServer } from '../stack/server-process.ts';
import { api, ownProduct, perFile } from '../stack/stack.ts';

ownProduct({}, startApi);
/** Of another worker. */
const secondDb = perFile(() => openTestDatabase(api.databaseUrl));
afterEach(() => api.rows('UPDATE datasets SET retention_days = NULL, retention_due_at = NULL'));

interface Shop {
  readonly accountId: string;
  readonly dataset: string;
  readonly count: () => Promise<number>;
}

/** An account with events that are too old, and one that is not. */
async function makeShop(oldEvents: number): Promise<Shop> {
  const caller = await api.newCaller();
  const events = new KindCaller(caller, 'event');
  const dataset = await events.createdId();
  const now = Date.now();
  const old = Array.from({ length: oldEvents }, (_, n) => recordOf('event', `old-${n}`, { ts: n }));
  await events.upsert(dataset, [recordOf('event', 'kept', { ts: now }), ...old]);
  await events.update(dataset, { retention_days: 30 });
  const count = async () => {
    const { dataset_key } = await placeOf(api.db, dataset);
    const [row] = await api.rows<{ events: number }>(
      'SELECT count(*)::int AS events FROM events WHERE dataset_key = $1',
      [dataset_key],
    );
    expect(await events.count(dataset)).toBe(row?.events);
    return row?.events ?? 0;
  };
  return { accountId: caller.accountId, dataset, count };
}

/** Locks an old event, on which the next step waits, while `work` runs. */
async function whileStepWaits(
  shop: Shop,
  work: (waits: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { dataset_key } = await placeOf(api.db, shop.dataset);
  await using holder = await connectTo(api.databaseUrl);
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'WITH picked%'`;
  await holder.query('BEGIN');
  const lock = `SELECT FROM events WHERE dataset_key = $1 AND event_id = 'old-7' FOR UPDATE`;
  await holder.query(lock, [dataset_key]);
  await work(() => expect.poll(() => runSql(api.databaseUrl, waiting), { timeout: 30_000 }).toHaveLength(1));
}

test('several workers delete each expired event once', async () => {
  const shops = [await makeShop(500), await makeShop(500), await makeShop(500)];
  const end = performance.now() + 20_000;
  let deleted = 0;
  const runWorker = async (db: Database) => {
    while (deleted < 1500 && performance.now() < end) {
      const step = await expireNext(db, 40);
      deleted += step?.deleted ?? 0;
    }
  };
  await Promise.all([api.db, secondDb, api.db, secondDb].map(runWorker));
  expect(deleted).toBe(1500);
  for (const shop of shops) expect(await shop.count()).toBe(1);
});

test('a dataset that one worker has claimed is not claimed by another, until the claim ends', async () => {
  const shop = await makeShop(10);
  await secondDb.transaction(async (tx) => {
    expect((await claimExpiringDataset(tx))?.dataset_id).toBe(shop.dataset);
    expect(await expireNext(api.db)).toBeUndefined();
  });
  expect(await shop.count()).toBe(11);
  expect((await expireNext(api.db))?.deleted).toBe(10);
});

test('many expired events of one account do not delay those of another', async () => {
  const large = await makeShop(900);
  const small = await makeShop(1);
  const steps = [await expireNext(api.db, 100), await expireNext(api.db, 100), await expireNext(api.db, 100)];
  expect(steps.map((step) => [step?.dataset.dataset_id, step?.deleted])).toEqual([
    [large.dataset, 100],
    [small.dataset, 1],
    [large.dataset, 100],
  ]);
});

test('a dataset whose events cannot be deleted does not delay others, and is tried again a minute later', async () => {
  const broken = await makeShop(10);
  const other = await makeShop(10);
  const { dataset_key } = await placeOf(api.db, broken.dataset);
  await api.rows(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`,
  );
  await api.rows(
    `CREATE TRIGGER fail BEFORE UPDATE ON dataset_counts FOR EACH ROW WHEN (OLD.dataset_key = ${dataset_key}) EXECUTE FUNCTION fail()`,
  );
  await expect(expireNext(api.db)).rejects.toThrow('broken');
  expect((await expireNext(api.db))?.dataset.dataset_id).toBe(other.dataset);
  expect(await expireNext(api.db)).toBeUndefined();
  expect(await broken.count()).toBe(11);
  await api.rows('DROP TRIGGER fail ON dataset_counts');
  await api.rows(
    `UPDATE datasets SET retention_due_at = retention_due_at - interval '61 s' WHERE dataset_key = $1`,
    [dataset_key],
  );
  expect((await expireNext(api.db))?.deleted).toBe(10);
});

test('a worker that is killed during a step leaves everything as it was, and another one does the step', async () => {
  const shop = await makeShop(300);
  const other = await makeShop(0);
  const env = { DATABASE_URL: api.databaseUrl, REDIS_URL: inject('redisUrl') };
  await whileStepWaits(shop, async (waits) => {
    await using worker = await startServer('worker', env);
    await waits();
    worker.signal('SIGKILL');
    await worker.ended;
  });
  const open = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'WITH picked%' AND state <> 'idle'`;
  await expect.poll(() => runSql(api.databaseUrl, open), { timeout: 30_000 }).toEqual([]);
  expect(await shop.count()).toBe(301);
  await using worker = await startServer('worker', env);
  await expect.poll(shop.count, { timeout: 30_000 }).toBe(1);
  expect(await other.count()).toBe(1);
  await expectLogged(worker, '"events":300');
}, 120_000);
