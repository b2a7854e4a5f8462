import { algorithmOf } from '@tastegraph/algorithms';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../../src/datasets/rows/datasets.ts';
import { cancelAfter, type Queryable, StatementTimeout } from '../../../src/kernel/postgres/pool.ts';
import { findProblems } from '../../../src/training/check/findings.ts';
import { type Datasets, type SurveyBounds, surveyData } from '../../../src/training/check/survey.ts';
import { keysInFirstPartition, nodesOf, openOwnDatabase, type PlanNode } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';

const algorithm = algorithmOf('G1');

const own = perFile(openOwnDatabase);

const events = 100_000;
/** A thousandth of the product's limits; the partition of this file's datasets has about 3000 pages. */
const bounds: SurveyBounds = {
  exactEvents: 1000,
  sampleEvents: 15_000,
  samplePages: 1500,
  drawnUsers: 4000,
  eventsPerUser: 500,
  searchedEvents: 10 * events,
  joinedItems: 10_000,
  attributeRecords: 100,
};
const exact = { ...bounds, exactEvents: 10 * events };

/** For each kind, keys of datasets that share partition 0. */
let keys: { event: number[]; item: number };

beforeAll(async () => {
  const { db } = own;
  const [item = 0] = await keysInFirstPartition(db, 'items');
  keys = { event: await keysInFirstPartition(db, 'events'), item };
  await select(db, `SELECT setseed(0.5)`);
  // Some users are far more active than others, and some items far more popular; a tenth of the events are their user's
  // only event.
  const skewed = `SELECT $1, 'e' || md5(n::text), CASE WHEN n % 10 = 0 THEN 'once' || n ELSE 'u' || (9000 * power(random(), 2))::int END,
    'i' || (2000 * power(random(), 2))::int, n, CASE WHEN n % 20 = 0 THEN 'buy' WHEN n = 77 THEN 'rare' ELSE 'view' END, 1`;
  // Few users, each with thousands of events.
  const active = `SELECT $1, 'e' || n, 'u' || n % 40, 'i' || n % 300, n, 'view', 1`;
  const fills = [skewed, active, skewed];
  for (const [place, fill] of fills.entries())
    await select(db, `INSERT INTO events ${fill} FROM generate_series(1, $2::int) n`, [
      keys.event[place],
      events,
    ]);
  await select(db, `INSERT INTO items SELECT $1, 'i' || n, '{}' FROM generate_series(0, 1499) n`, [item]);
  for (const table of ['events_p00', 'items_p00']) await select(db, `VACUUM ANALYZE ${table}`);
});

function datasetsOf(place: number): Datasets {
  const row = (kind: DatasetRow['kind'], dataset_key: number, record_count: number): DatasetRow => ({
    kind,
    dataset_key,
    record_count,
    partition: 0,
    dataset_id: '',
    name: '',
    num_shards: 1,
    attribute_schema: null,
    retention_days: null,
  });
  const event = row('event', keys.event[place] ?? 0, events);
  return { event, item: row('item', keys.item, 1500), user: row('user', 1, 0) };
}

const survey = (place: number, target: string, within: SurveyBounds, on: Queryable = own.db) =>
  surveyData(() => on, datasetsOf(place), target, within);

describe('a sample', () => {
  test.each([
    ['users of all kinds', 0],
    ['few and very active users', 1],
  ])('is close to the actual numbers: %s', async (_, place) => {
    const estimated = await survey(place, 'buy', bounds);
    const counted = await survey(place, 'buy', exact);
    expect(counted).toMatchObject({ sampled: false, events, eventsSeen: events });
    expect(estimated).toMatchObject({ sampled: true, events, first_ts: 1, last_ts: events });
    expect(estimated.eventsSeen).toBeLessThan(events / 4);
    for (const name of [
      'targetEvents',
      'users',
      'usersWithOneEvent',
      'items',
      'itemsWithoutRecord',
    ] as const) {
      const [low, high] = [0.8 * counted[name], 1.2 * counted[name]];
      expect.soft(estimated[name], name).toBeGreaterThanOrEqual(low);
      expect.soft(estimated[name], name).toBeLessThanOrEqual(high);
    }
    for (const { event_type, count } of estimated.eventTypes) {
      const truth = counted.eventTypes.find((type) => type.event_type === event_type)?.count ?? 0;
      if (truth > 1000) expect(Math.abs(count / truth - 1)).toBeLessThan(0.2);
    }
  });

  test.each([
    ['a sample', bounds],
    ['all events', exact],
  ])('has the same numbers whether records are read or looked up: %s', async (_, within) => {
    const lookedUp = await survey(0, 'buy', { ...within, joinedItems: 0 });
    expect(lookedUp).toEqual(await survey(0, 'buy', within));
    expect(lookedUp.itemsWithoutRecord).toBeGreaterThan(0);
  });

  test('is the same each time', async () => {
    expect(await survey(0, 'buy', bounds)).toEqual(await survey(0, 'buy', bounds));
  });

  test('marks its numbers as approximate', async () => {
    const found = findProblems(await survey(0, 'buy', bounds), algorithm, {});
    expect(found.map(({ code }) => code)).toEqual(['ITEMS_WITHOUT_RECORD', 'USERS_WITH_ONE_EVENT']);
    for (const { message } of found) expect(message).toMatch(/about [\d,]+ (of|\()/);
  });

  test('never reports the target as missing only because the sample lacks it', async () => {
    const codes = async (target: string, searchedEvents: number) => {
      const found = findProblems(
        await survey(0, target, { ...bounds, searchedEvents, sampleEvents: 500 }),
        algorithm,
        {},
      );
      return found
        .filter(({ code }) => /TARGET|LITTLE|THIN/.test(code))
        .map((f) => `${f.severity} ${f.code}`);
    };
    expect(await codes('absent', 10 * events)).toEqual(['ERROR NO_TARGET_EVENTS']);
    expect(await codes('absent', 0)).toEqual(['WARNING TARGET_EVENTS_NOT_SEEN']);
    expect(await codes('rare', 10 * events)).toEqual(['WARNING TARGET_EVENTS_NOT_SEEN']);
    expect(await codes('rare', 0)).toEqual(['WARNING TARGET_EVENTS_NOT_SEEN']);
  });
});

/** How each statement of the survey accesses its tables. */
async function waysOf(within: SurveyBounds): Promise<Set<string>> {
  const ways = new Set<string>();
  await survey(0, 'absent', within, {
    async rows<Row>(statement: { name: string; text: string }, values: readonly unknown[]): Promise<Row[]> {
      const text = `EXPLAIN (FORMAT JSON) ${statement.text}`;
      const [row] = await select<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(own.db, text, values);
      for (const node of row ? nodesOf(row['QUERY PLAN'][0].Plan) : [])
        if (node['Relation Name'])
          ways.add(`${node['Node Type']} ${node['Index Name'] ?? node['Relation Name']}`);
      return own.db.rows(statement, values);
    },
  });
  return ways;
}

const byUser = 'Index Only Scan events_p00_dataset_key_user_id_ts_item_id_event_type_event__idx';
const others = [
  'Index Only Scan events_p00_dataset_key_ts_idx',
  'Index Only Scan items_p00_pkey',
  'Index Scan items_p00_pkey',
];

test('every statement reads an index, or the pages of the sample', async () => {
  const withoutUsers = (ways: Set<string>) =>
    [...ways].filter((way) => !way.includes('users_p00')).toSorted();
  expect(withoutUsers(await waysOf(exact))).toEqual([byUser, ...others].toSorted());
  const sampled = await waysOf(bounds);
  expect(withoutUsers(sampled)).toEqual([byUser, ...others, 'Sample Scan events_p00'].toSorted());
  expect([...sampled].filter((way) => way.startsWith('Seq'))).toEqual([]);
});

describe('reads that exceed their time limit', () => {
  /** Fails the given attempts, as PostgreSQL would; the others succeed. */
  const failing = (fails: (attempt: number) => boolean) => {
    let attempt = 0;
    return () => {
      const mine = attempt++;
      return cancelAfter(own.db, () => (fails(mine) ? 0 : 10_000));
    };
  };
  const find = (limited: () => Queryable) => surveyData(limited, datasetsOf(0), 'buy', exact);

  test('are repeated on a sample', async () => {
    const found = await find(failing((attempt) => attempt === 0));
    expect(found).toMatchObject({ sampled: true, events, notChecked: [] });
    expect(found.eventsSeen).toBeLessThan(events);
    expect(found.users).toBeGreaterThan(0);
  });

  test('are finally left out, each part separately, and listed', async () => {
    const found = await find(failing((attempt) => attempt < 3));
    expect(found).toMatchObject({ events, eventsSeen: 0, users: 0, first_ts: 1, notChecked: ['events'] });
    expect(findProblems(found, algorithm, {})).toMatchObject([
      { severity: 'INFO', code: 'PARTS_NOT_CHECKED' },
    ]);
    const none = await find(failing(() => true));
    expect(none.notChecked).toEqual(['events', 'times', 'item_attributes', 'user_attributes']);
  });

  test('are canceled by PostgreSQL in time', async () => {
    const sleeping = cancelAfter(own.db, () => 100).rows({ name: '', text: 'SELECT pg_sleep(20)' }, []);
    await expect(sleeping).rejects.toThrow(StatementTimeout);
    // The setting ended with the transaction.
    const [row] = await select<{ statement_timeout: string }>(own.db, 'SHOW statement_timeout');
    expect(row?.statement_timeout).toBe('30s');
  });

  test('that fail for another reason throw the error', async () => {
    const broken = cancelAfter(own.db, () => 1000).rows({ name: '', text: 'SELECT 1 / 0' }, []);
    await expect(broken).rejects.not.toThrow(StatementTimeout);
  });
});
