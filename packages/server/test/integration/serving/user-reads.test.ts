import { expect, test } from 'vitest';
import { eventFields } from '../../../src/models/loaded-model.ts';
import { readKnownUsers, type ServedProject } from '../../../src/serving/rows/serving-reads.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';
import { TrainingFixture } from '../stack/training-fixture.ts';

const fixture = perFile(() => TrainingFixture.open());

/** A project whose datasets are in the given partitions. */
const projectIn = (users: number, events: number): ServedProject => ({
  project_key: 1,
  project_id: 'prj_none',
  account_id: 'acc_none',
  target_event_type: 'buy',
  users: { id: 'none', key: 1, partition: users, table: '' },
  items: { id: 'none', key: 1, partition: 0, table: '' },
  events: { id: 'none', key: 1, partition: events, table: '' },
});

/** A dataset key of each partition. */
async function keysOf(table: string, partitions: number): Promise<number[]> {
  const text = `SELECT p, min(key) AS key FROM generate_series(1, 5000) key, generate_series(0, $2 - 1) p
    WHERE satisfies_hash_partition($1::regclass, $2, p, key) GROUP BY p ORDER BY p`;
  return (await select<{ key: number }>(fixture.db, text, [table, partitions])).map(({ key }) => key);
}

test('users are read from every partition, and only from their own dataset', async () => {
  const { db } = fixture;
  const keys = { users: await keysOf('users', 16), events: await keysOf('events', 64) };
  await select(
    db,
    `INSERT INTO users (dataset_key, user_id, attributes) SELECT k, 'u', jsonb_build_object('at', place - 1)
      FROM unnest($1::int[]) WITH ORDINALITY AS key (k, place)`,
    [keys.users],
  );
  await select(
    db,
    `INSERT INTO events (dataset_key, event_id, user_id, item_id, ts, event_type, event_value)
      SELECT k, 'e' || n, 'u', 'i' || place - 1 || '-' || n, n, 'buy', 1
      FROM unnest($1::int[]) WITH ORDINALITY AS key (k, place), generate_series(1, 3) n`,
    [keys.events],
  );
  for (const [events, eventsKey] of keys.events.entries()) {
    const users = events % 16;
    const project = projectIn(users, events);
    const located = {
      ...project,
      users: { ...project.users, key: keys.users[users] ?? 0 },
      events: { ...project.events, key: eventsKey },
    };
    const [nobody, user] = await readKnownUsers(db, located, ['nobody', 'u']);
    expect(nobody).toEqual({ attributes: null, events: [], negative_event_types: [] });
    expect(user?.attributes).toEqual({ at: users });
    expect(user?.events.filter((_, place) => place % eventFields === 0)).toEqual(
      [3, 2, 1].map((n) => `i${events}-${n}`),
    );
    const [earlier] = await readKnownUsers(db, located, ['u'], 2);
    expect(earlier?.events.length).toBe(2 * eventFields);
  }
});

test('a dataset that has a table of its own is read from it', async () => {
  const { db } = fixture;
  await select(
    db,
    `CREATE TABLE users_p16 AS SELECT 7 AS dataset_key, 'u'::text COLLATE "C" AS user_id, '{"own": true}'::jsonb AS attributes`,
  );
  await select(
    db,
    `CREATE TABLE events_p64 AS SELECT 8 AS dataset_key, 'u'::text COLLATE "C" AS user_id, 'i'::text AS item_id, 5::bigint AS ts,
      'buy'::text AS event_type, 1::float8 AS event_value`,
  );
  const project = projectIn(16, 64);
  const own = {
    ...project,
    users: { ...project.users, key: 7 },
    events: { ...project.events, key: 8 },
  };
  expect(await readKnownUsers(db, own, ['u'])).toEqual([
    { attributes: { own: true }, events: ['i', 'buy', '1'], negative_event_types: [] },
  ]);
});
