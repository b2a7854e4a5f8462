import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { algorithmOf } from '@tastegraph/algorithms';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { partitionTable } from '../../../src/datasets/rows/datasets.ts';
import { isUnavailable } from '../../../src/kernel/postgres/pool.ts';
import { readTrainingData } from '../../../src/training/read-data.ts';
import {
  beginSnapshot,
  entitiesSelect,
  eventsSelect,
  type TrainingSource,
} from '../../../src/training/rows/training-rows.ts';
import { makeBreakable } from '../stack/breakable.ts';
import { nodesOf, type PlanNode } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';
import { TrainingFixture } from '../stack/training-fixture.ts';

const { needs } = algorithmOf('G1');

const eventCount = 500_000;
const userCount = 50_000;
const itemCount = 20_000;

const fixture = perFile(() => TrainingFixture.open());
/** No fixture, because threads get a copy of it. */
let source: TrainingSource;
beforeAll(async () => {
  source = await fixture.newSource('buy');
});

const tables = () => ({
  events: partitionTable({ ...source.events, kind: 'event' }),
  users: partitionTable({ ...source.users, kind: 'user' }),
  items: partitionTable({ ...source.items, kind: 'item' }),
});

async function fillTables(): Promise<void> {
  const statements: [text: string, dataset: TrainingSource['users'], count: number][] = [
    [
      `INSERT INTO ${tables().events} SELECT $1, 'e-' || n, 'user-' || n::bigint * 7919 % ${userCount},
        'item-' || n::bigint * n % ${itemCount}, n, CASE WHEN n % 5 = 0 THEN 'buy' ELSE 'view' END, 1
        FROM generate_series(1, $2::int) n`,
      source.events,
      eventCount,
    ],
    [
      `INSERT INTO ${tables().users} SELECT $1, 'user-' || n, jsonb_build_object('age', n % 90, 'plan', 'p' || n % 4)
        FROM generate_series(1, $2::int) n`,
      source.users,
      userCount,
    ],
    [
      `INSERT INTO ${tables().items} SELECT $1, 'item-' || n, jsonb_build_object('genre', 'g' || n % 30)
        FROM generate_series(1, $2::int) n`,
      source.items,
      itemCount,
    ],
  ];
  for (const [text, { dataset_key }, count] of statements) {
    await select(fixture.db, text, [dataset_key, count]);
    await select(
      fixture.db,
      'UPDATE dataset_counts SET record_count = $2 WHERE dataset_key = $1 AND slot = 3',
      [dataset_key, count],
    );
  }
}

/** The nodes of a query plan with their indexes, under the settings of a training. */
async function planOf(text: string): Promise<string[]> {
  const client = await fixture.connect();
  try {
    await beginSnapshot(client);
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (FORMAT JSON) ${text}`,
    );
    const nodes = (rows[0]?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => nodesOf(Plan));
    return nodes.map((node) => [node['Node Type'], node['Index Name']].filter(Boolean).join(' by '));
  } finally {
    await client.end();
  }
}

describe.each(['empty', 'full, and not yet analyzed', 'full'])('while tables are %s', (state) => {
  beforeAll(async () => {
    if (state === 'full, and not yet analyzed') await fillTables();
    if (state === 'full')
      for (const table of Object.values(tables())) await select(fixture.db, `VACUUM ANALYZE ${table}`);
  });

  test.each([
    ['all events come', Date.now(), {}],
    ['a range of users comes', 7, { from: "user-'1", to: 'user-2' }],
  ])(
    '%s from an index-only scan, in its order; users by primary key, one by one',
    async (_, untilTs, range) => {
      const { events, users } = tables();
      expect(
        await planOf(eventsSelect(source.events, source.users, { nowTs: untilTs, untilTs }, range)),
      ).toEqual([
        'WindowAgg',
        `Index Only Scan by ${events}_dataset_key_user_id_ts_item_id_event_type_event__idx`,
        `Index Scan by ${users}_pkey`,
      ]);
    },
  );

  test('users and items come in the order of the primary key', async () => {
    const { users, items } = tables();
    expect(await planOf(entitiesSelect('user', source.users))).toEqual([`Index Scan by ${users}_pkey`]);
    expect(await planOf(entitiesSelect('item', source.items))).toEqual([`Index Scan by ${items}_pkey`]);
  });
});

/** Memory in use after a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  // Only the last includes shared memory; what is in both counts twice.
  return heapUsed + external + arrayBuffers;
}

describe('reading half a million events', () => {
  const { signal } = new AbortController();

  test('takes a bounded number of bytes per event at any moment', async () => {
    const client = await fixture.connect();
    const before = usedBytes();
    let most = 0;
    const onProgress = () => {
      most = Math.max(most, usedBytes() - before);
    };
    const input = await readTrainingData(client, source, { signal, onProgress, needs });
    const after = usedBytes() - before;
    await client.end();
    expect(input.counts).toMatchObject({ events: eventCount, users: userCount, items: itemCount + 1 });
    console.log(
      `${Math.round(most / eventCount)} bytes an event at most, ${Math.round(after / eventCount)} in the end`,
    );
    // 11 bytes per event, the users, and 20,000 item IDs as a fixed cost: 20 to 30 bytes were measured.
    expect(most).toBeLessThan(60 * eventCount);
  });

  test('is fast', async () => {
    const client = await fixture.connect();
    const start = performance.now();
    await readTrainingData(client, source, { signal, needs });
    const seconds = (performance.now() - start) / 1000;
    await client.end();
    console.log(`${Math.round(eventCount / seconds)} events a second`);
    // About 300,000 events per second; only reading row by row would be this slow.
    expect(seconds).toBeLessThan(120);
  });
});

test('no transaction of a read lasts longer than that of one reader', async () => {
  const client = await fixture.connect();
  const release = new AbortController();
  onTestFinished(() => release.abort());
  // Readers get the first bytes of their events, and the rest when they are released.
  await using way = await makeBreakable(fixture.url, (from, to) => {
    let received = 0;
    to.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received < 500_000 || release.signal.aborted) return;
      received = -Infinity;
      from.cork();
      release.signal.addEventListener('abort', () => from.uncork());
    });
  });
  const readers = { databaseUrl: way.url, count: 2, minEvents: 1, memoryAdvice: '' };
  const reading = readTrainingData(client, source, { signal: new AbortController().signal, needs, readers });
  const openTransactions = async () => {
    const text = `SELECT application_name AS name FROM pg_stat_activity
      WHERE application_name IN ('training', 'tastegraph training') AND datname = current_database() AND xact_start IS NOT NULL`;
    return (await select<{ name: string }>(fixture.db, text)).map(({ name }) => name);
  };
  const ofReaders = ['tastegraph training', 'tastegraph training'];
  await expect.poll(openTransactions, { timeout: 30_000 }).toEqual(ofReaders);
  release.abort();
  expect((await reading).counts.events).toBe(eventCount);
  await client.end();
});

describe('a read that does not finish', () => {
  /** Runs `act` in the middle of the events, and returns how the read ended. */
  async function interrupted(
    act: (client: Awaited<ReturnType<TrainingFixture['connect']>>) => unknown,
    {
      url,
      readersUrl = url ?? fixture.url,
      signal = new AbortController().signal,
      count = 1,
    }: { url?: string; readersUrl?: string; signal?: AbortSignal; count?: number } = {},
  ): Promise<unknown> {
    const client = await fixture.connect(url);
    let acted = false;
    const onProgress = (fraction: number) => {
      if (acted || fraction < 0.4) return;
      acted = true;
      act(client);
    };
    const readers = { databaseUrl: readersUrl, count, minEvents: 1, memoryAdvice: '' };
    const ended = await readTrainingData(client, source, { signal, onProgress, needs, readers }).catch(
      (error: unknown) => error,
    );
    await client.end();
    return ended;
  }

  async function openReadings(): Promise<number> {
    const text = `SELECT pid FROM pg_stat_activity WHERE application_name IN ('training', 'tastegraph training')
      AND datname = current_database()`;
    return (await select(fixture.db, text)).length;
  }

  test.each([1, 3])(
    'by %i readers ends when it is aborted, with the reason, and leaves no connection',
    async (count) => {
      const end = new AbortController();
      const reason = new Error('enough');
      // A read that went on to its end would not have failed.
      expect(await interrupted(() => end.abort(reason), { signal: end.signal, count })).toBe(reason);
      await expect.poll(openReadings, { timeout: count === 1 ? 5000 : 30_000 }).toBe(0);
    },
  );

  test('stops all readers when one of them loses its connection, and may be retried', async () => {
    // Only the first connection breaks, and by the bytes it carried: a reader broken at a moment may have finished.
    let connections = 0;
    await using way = await makeBreakable(fixture.url, (from, to) => {
      if (connections++ > 0) return;
      let received = 0;
      to.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > 500_000) from.destroy();
      });
    });
    const ended = await interrupted(() => undefined, { readersUrl: way.url, count: 3 });
    expect(ended).toMatchObject({ name: 'TransientJobError', code: 'DATABASE_UNAVAILABLE' });
    await expect.poll(openReadings, { timeout: 30_000 }).toBe(0);
  });

  test('does not start if it is already aborted', async () => {
    const reason = new Error('enough');
    await expect(interrupted(() => undefined, { signal: AbortSignal.abort(reason) })).resolves.toBe(reason);
  });

  test('fails when PostgreSQL closes the connection, and may be retried', async () => {
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'training' AND datname = current_database()`;
    const ended = await interrupted(() => select(fixture.db, text));
    expect(isUnavailable(ended), String(ended)).toBe(true);
    await expect.poll(openReadings, { timeout: 5000 }).toBe(0);
  });

  test('fails when the connection is lost, and may be retried', async () => {
    await using way = await makeBreakable(fixture.url);
    const ended = await interrupted(() => way.cut(), { url: way.url });
    expect(isUnavailable(ended), String(ended)).toBe(true);
  });

  test.each([1, 3])(
    'by %i readers fails when a row handler throws, and closes all connections',
    async (count) => {
      const failure = new Error('no memory left');
      const fail = () => {
        throw failure;
      };
      expect(await interrupted(fail, { count })).toBe(failure);
      await expect.poll(openReadings, { timeout: 30_000 }).toBe(0);
    },
  );
});
