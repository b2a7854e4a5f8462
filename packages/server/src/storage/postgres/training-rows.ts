import type pg from 'pg';
import { type CopiedRow, copyRows } from './copy-rows.ts';
import { partitionTable } from './datasets.ts';
import type { SourceDataset } from './training-source.ts';

type Dataset = Pick<SourceDataset, 'dataset_key' | 'partition'>;

/**
 * For the transaction alone:
 * - statement_timeout: a statement reads a whole dataset, at the pace of whoever takes the rows: 100 million events take
 *   minutes. One that takes an hour is stuck, and holds back vacuum for everybody.
 * - enable_seqscan, enable_bitmapscan, enable_sort off: the order wanted is that of an index. A plan that sorts instead
 *   would write 100 million rows to disk before the first one comes.
 * - jit off: it pays for expressions that are costly for each row; these are not.
 */
const settings = [
  `statement_timeout = '1h'`,
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
  'jit = off',
];

/** Everything read until the transaction ends is of one moment. Takes no lock that a writer would wait for. */
export async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(settings.map((setting) => `SET LOCAL ${setting}`).join('; '));
}

export async function endSnapshot(client: pg.Client): Promise<void> {
  await client.query('COMMIT');
}

/** The record counts of datasets, in their order: exact in a snapshot. Sums 16 rows each, by primary key. */
export async function listRecordCounts(client: pg.Client, datasets: readonly Dataset[]): Promise<number[]> {
  const { rows } = await client.query<{ record_count: number }>(
    `SELECT coalesce(sum(c.record_count), 0)::float8 AS record_count
      FROM unnest($1::int[]) WITH ORDINALITY AS asked(dataset_key, place)
      LEFT JOIN dataset_counts c USING (dataset_key) GROUP BY place ORDER BY place`,
    [datasets.map(({ dataset_key }) => dataset_key)],
  );
  return rows.map((row) => row.record_count);
}

/** Each row: id, attributes as JSON. In the order of the ids' bytes; walks the primary key. */
export async function copyEntities(
  client: pg.Client,
  kind: 'user' | 'item',
  dataset: Dataset,
  onRow: (row: CopiedRow) => void,
): Promise<void> {
  await copyRows(client, entitiesSelect(kind, dataset), onRow);
}

/**
 * Each row: user_id, profile, ts, item_id, event_type, event_value. Users in the order of their ids' bytes, each one's events
 * from the newest to the oldest, ties by item_id and event_type; what differs in value alone comes in any order. `user_id` and
 * `profile` are null but in a user's first row; `profile` is the attributes of the user's record as JSON, or empty without a
 * record.
 *
 * Walks events_by_user, and nothing but the index, from one end of the dataset to the other, and looks up each user once,
 * by primary key. Sorts nothing, so that the first row comes at once.
 */
export async function copyEvents(
  client: pg.Client,
  { events, users }: { events: Dataset; users: Dataset },
  onRow: (row: CopiedRow) => void,
): Promise<void> {
  await copyRows(client, eventsSelect(events, users), onRow);
}

/** Exported for the test of its plan. */
export function entitiesSelect(kind: 'user' | 'item', dataset: Dataset): string {
  const id = `${kind}_id`;
  return `SELECT ${id}, attributes FROM ${partitionTable({ kind, partition: dataset.partition })}
    WHERE dataset_key = ${dataset.dataset_key} ORDER BY ${id}`;
}

/**
 * The window costs up to twice the walk itself, a second or two for a million events. What it saves: a second connection to
 * walk the users beside the events in the same snapshot, or a table of users' ids in memory. Exported for the test of its
 * plan.
 */
export function eventsSelect(events: Dataset, users: Dataset): string {
  const usersTable = partitionTable({ kind: 'user', partition: users.partition });
  const eventsTable = partitionTable({ kind: 'event', partition: events.partition });
  const order = 'e.ts DESC, e.item_id, e.event_type';
  return `SELECT CASE WHEN row_number() OVER history = 1 THEN e.user_id END,
      CASE WHEN row_number() OVER history = 1 THEN coalesce((
        SELECT u.attributes::text FROM ${usersTable} u
        WHERE u.dataset_key = ${users.dataset_key} AND u.user_id = e.user_id
      ), '') END, e.ts, e.item_id, e.event_type, e.event_value
    FROM ${eventsTable} e WHERE e.dataset_key = ${events.dataset_key}
    WINDOW history AS (PARTITION BY e.user_id ORDER BY ${order})
    ORDER BY e.user_id, ${order}`;
}
