import type pg from 'pg';
import type { ClientConfig } from 'pg';
import { type DatasetRow, partitionTable } from '../../datasets/rows/datasets.ts';
import { type CopiedRow, copyRows } from '../../kernel/postgres/copy-rows.ts';
import { one } from '../../kernel/postgres/statement.ts';

export type SourceDataset = Pick<DatasetRow, 'dataset_key' | 'dataset_id' | 'partition' | 'attribute_schema'>;

/** Where a training reads from. */
export interface TrainingSource {
  readonly target_event_type: string;
  readonly negative_event_types: readonly string[];
  readonly users: SourceDataset;
  readonly items: SourceDataset;
  readonly events: SourceDataset;
}

const dataset = (alias: string) =>
  `jsonb_build_object('dataset_key', ${alias}.dataset_key, 'dataset_id', ${alias}.dataset_id,
    'partition', ${alias}.partition, 'attribute_schema', ${alias}.attribute_schema)`;

/** By primary keys. Undefined if the project was deleted. */
export const findTrainingSource = one<[projectKey: number], TrainingSource>(
  'find_training_source',
  `SELECT p.target_event_type, p.negative_event_types, ${dataset('u')} AS users, ${dataset('i')} AS items,
      ${dataset('e')} AS events
    FROM projects p
      JOIN datasets u ON u.dataset_key = p.user_dataset_key
      JOIN datasets i ON i.dataset_key = p.item_dataset_key
      JOIN datasets e ON e.dataset_key = p.event_dataset_key
    WHERE p.project_key = $1`,
);

type Dataset = Pick<SourceDataset, 'dataset_key' | 'partition'>;

/** Each connection of a training may read this long. */
export const maxReadSeconds = 3600;
/** Of one event, by one thread of a small machine: 3.6 to 4.7 microseconds were measured. */
export const readSecondsPerEvent = 4.2e-6;

/**
 * Settings of the transaction:
 * - statement_timeout: a statement reads a whole dataset at the reader's pace; 100 million events take minutes. One
 *   that takes an hour is stuck, and holds back vacuum for the whole database.
 * - enable_seqscan, enable_bitmapscan, enable_sort off: an index has the wanted order. A plan that sorts would write
 *   100 million rows to disk before it returns the first one.
 * - jit off: it pays off for expressions that are costly per row; these are not.
 */
const settings = [
  `statement_timeout = '${maxReadSeconds}s'`,
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
  'jit = off',
  // The connection that exported a snapshot waits while others read.
  'idle_in_transaction_session_timeout = 0',
];

/** Until the transaction ends, all reads see one snapshot: a new one, or `joinedId` of another connection. Takes no lock that blocks writers. */
export async function beginSnapshot(client: pg.Client, joinedId?: string): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  if (joinedId !== undefined)
    await client.query(`SET TRANSACTION SNAPSHOT ${client.escapeLiteral(joinedId)}`);
  await client.query(settings.map((setting) => `SET LOCAL ${setting}`).join('; '));
}

/** Lets other connections read the same snapshot, until this one ends it. */
export async function exportSnapshot(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
  if (!rows[0]) throw new Error('PostgreSQL exported no snapshot');
  return rows[0].id;
}

export async function endSnapshot(client: pg.Client): Promise<void> {
  await client.query('COMMIT');
}

/** The record counts of the datasets, in order; exact within a snapshot. Sums 16 rows each, by primary key. */
export async function listRecordCounts(client: pg.Client, datasets: readonly Dataset[]): Promise<number[]> {
  const { rows } = await client.query<{ record_count: number }>(
    `SELECT coalesce(sum(c.record_count), 0)::float8 AS record_count
      FROM unnest($1::int[]) WITH ORDINALITY AS asked(dataset_key, place)
      LEFT JOIN dataset_counts c USING (dataset_key) GROUP BY place ORDER BY place`,
    [datasets.map(({ dataset_key }) => dataset_key)],
  );
  return rows.map((row) => row.record_count);
}

/** Users from `from` on, and before `to`, in byte order of their IDs; without a bound, all on that side. */
export interface UserRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Events after `untilTs` are not read, and those after `nowTs` read as now. */
export interface ReadTimes {
  readonly nowTs: number;
  readonly untilTs: number;
}

/** How many blocks of the events' table are sampled to divide it: 16 MiB. */
const sampledBlocks = 2000;
const blockBytes = 8192;

/** At most `count`, with about as many events each, from sampled blocks: a poor sample makes them unequal, not wrong. */
export async function divideUsers(client: pg.Client, events: Dataset, count: number): Promise<UserRange[]> {
  const table = partitionTable({ kind: 'event', partition: events.partition });
  const { rows: sizes } = await client.query<{ bytes: number }>(
    'SELECT pg_relation_size($1::regclass)::float8 AS bytes',
    [table],
  );
  const percent = Math.min(100, (100 * sampledBlocks * blockBytes) / Math.max(1, sizes[0]?.bytes ?? 0));
  const shares = Array.from({ length: count - 1 }, (_, n) => (n + 1) / count);
  const { rows } = await client.query<{ bounds: string[] | null }>(
    `SELECT percentile_disc($1::float8[]) WITHIN GROUP (ORDER BY user_id) AS bounds
      FROM ${table} TABLESAMPLE SYSTEM (${percent}) REPEATABLE (1) WHERE dataset_key = ${events.dataset_key}`,
    [shares],
  );
  const bounds = [undefined, ...new Set(rows[0]?.bounds), undefined];
  return bounds.slice(1).map((to, place) => ({ from: bounds[place], to }));
}

/** COPY takes no parameters: a text as hexadecimal digits cannot end the literal. */
const literal = (text: string) => `convert_from('\\x${Buffer.from(text).toString('hex')}', 'UTF8')`;

const inRange = ({ from, to }: UserRange) =>
  `${from === undefined ? '' : ` AND e.user_id >= ${literal(from)}`}${to === undefined ? '' : ` AND e.user_id < ${literal(to)}`}`;

/** Rows of ID and attributes as JSON, in byte order of the IDs. Scans the primary key. */
export async function copyEntities(
  client: pg.Client,
  kind: 'user' | 'item',
  dataset: Dataset,
  onRow: (row: CopiedRow) => void,
): Promise<void> {
  await copyRows(client, entitiesSelect(kind, dataset), onRow);
}

/**
 * Rows of user_id, profile, ts, item_id, event_type, event_value. Users in byte order of their IDs, each user's events
 * from newest to oldest, ties by item_id and event_type; events that differ only in value come in any order. `user_id`
 * and `profile` are null except in a user's first row. `profile` is the user's attributes as JSON, or empty without a
 * record.
 *
 * An index-only scan of events_by_user over the whole dataset, with one primary key lookup per user. Sorts nothing, so
 * that the first row comes at once.
 */
export async function copyEvents(
  client: pg.Client,
  { events, users }: { events: Dataset; users: Dataset },
  onRow: (row: CopiedRow) => void,
  times: ReadTimes,
  range?: UserRange,
): Promise<void> {
  await copyRows(client, eventsSelect(events, users, times, range), onRow);
}

/** Exported for the test of its query plan. */
export function entitiesSelect(kind: 'user' | 'item', dataset: Dataset): string {
  const id = `${kind}_id`;
  return `SELECT ${id}, attributes FROM ${partitionTable({ kind, partition: dataset.partition })}
    WHERE dataset_key = ${dataset.dataset_key} ORDER BY ${id}`;
}

/**
 * The window function costs up to twice the scan itself, 1 or 2 s per million events. Without it, we would need a
 * second connection that scans users in the same snapshot, or a table of user IDs in memory. Exported for the test of
 * its query plan.
 */
export function eventsSelect(
  events: Dataset,
  users: Dataset,
  { nowTs, untilTs }: ReadTimes,
  range: UserRange = {},
): string {
  const usersTable = partitionTable({ kind: 'user', partition: users.partition });
  const eventsTable = partitionTable({ kind: 'event', partition: events.partition });
  const order = 'e.ts DESC, e.item_id, e.event_type';
  return `SELECT CASE WHEN row_number() OVER history = 1 THEN e.user_id END,
      CASE WHEN row_number() OVER history = 1 THEN coalesce((
        SELECT u.attributes::text FROM ${usersTable} u
        WHERE u.dataset_key = ${users.dataset_key} AND u.user_id = e.user_id
      ), '') END, least(e.ts, ${nowTs}), e.item_id, e.event_type, e.event_value
    FROM ${eventsTable} e WHERE e.dataset_key = ${events.dataset_key}${inRange(range)} AND e.ts <= ${Math.floor(untilTs)}
    WINDOW history AS (PARTITION BY e.user_id ORDER BY ${order})
    ORDER BY e.user_id, ${order}`;
}

/** A connection of its own for each reader of a training: a read may take an hour. */
export const trainingConnection = (connectionString: string): ClientConfig => ({
  connectionString,
  application_name: 'tastegraph training',
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
});
