import { limits } from '@tastegraph/contract/limits';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { boundedRows, type PageRow, type PageSize } from '../../kernel/postgres/sql-fragments.ts';
import { count } from '../../kernel/postgres/statement.ts';
import { type Dataset, type DatasetRow, idColumn, partitionTable, perPartition } from './datasets.ts';

/** A user or item as it is stored. Attributes are text, since parsing 4 MiB of them would delay other calls. */
export interface StoredEntity {
  readonly id: string;
  readonly attributes: string;
}

export interface StoredEvent {
  readonly event_id: string;
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
  readonly event_type: string;
  readonly event_value: number;
  /** The answer that led to it. */
  readonly recommendation_id: string | null;
  /** As in StoredEntity; null if there are none. */
  readonly attributes: string | null;
}

/** By primary key. */
export const findEntity = perPartition<[id: string], StoredEntity>(
  'find',
  (table, id) => `SELECT ${id} AS id, attributes::text FROM ${table} WHERE dataset_key = $1 AND ${id} = $2`,
);

const eventColumns = `t.event_id, t.user_id, t.item_id, t.ts::float8 AS ts, t.event_type, t.event_value,
  t.recommendation_id, t.attributes::text AS attributes`;

/** By primary key. */
export const findEvent = perPartition<[eventId: string], StoredEvent>(
  'find',
  (table) => `SELECT ${eventColumns} FROM ${table} t WHERE t.dataset_key = $1 AND t.event_id = $2`,
);

/** IDs in byte order: from `from`, which may be excluded, to before `before`. */
interface IdRange {
  readonly from: string;
  readonly includesFrom: boolean;
  readonly before: string;
}

/**
 * Records in ID order, as `columns` of the row `t`. Each step is one lookup by primary key, and no step follows the row
 * that reaches the bytes: records of one dataset differ in size by a factor of 10,000, so a LIMIT alone would bound
 * nothing. $1 is the dataset, $2 the first ID, $3 the end of the IDs, $4 the limit, $5 the bytes.
 */
function stepwise(table: string, id: string, columns: string, firstOperator: '>' | '>='): string {
  const step = (condition: string, bytesBefore: string) =>
    `SELECT f.*, (${bytesBefore} + octet_length(f::text))::float8 AS page_bytes
      FROM (SELECT ${columns} FROM ${table} t
        WHERE t.dataset_key = $1 AND t.${id} ${condition} AND t.${id} < $3 ORDER BY t.${id} LIMIT 1) f`;
  const idOfPage = columns.includes(`t.${id} AS id`) ? 'id' : id;
  return `WITH RECURSIVE page AS (
      (${step(`${firstOperator} $2`, '0')})
      UNION ALL
      SELECT next.* FROM page, LATERAL (${step(`> page.${idOfPage}`, 'page.page_bytes')}) next
        WHERE page.page_bytes < $5
    ) SELECT * FROM page LIMIT $4`;
}

/** Users or items in ID order, by primary key. */
export async function listEntities(
  db: Queryable,
  dataset: Dataset,
  { from, includesFrom, before }: IdRange,
  { limit, bytes }: PageSize,
): Promise<(StoredEntity & PageRow)[]> {
  const table = partitionTable(dataset);
  const id = idColumn(dataset);
  const columns = `t.${id} AS id, t.attributes::text AS attributes`;
  const statement = {
    name: `list_${includesFrom ? 'from' : 'after'}_${table}`,
    text: stepwise(table, id, columns, includesFrom ? '>=' : '>'),
  };
  return db.rows(statement, [dataset.dataset_key, from, before, limit, bytes]);
}

/** Events in ID order, by primary key. */
export const listEventsById = perPartition<
  [range: { readonly after: string; readonly before: string }, size: PageSize],
  StoredEvent & PageRow
>(
  'list_by_id',
  (table, id) => stepwise(table, id, eventColumns, '>'),
  ({ after, before }, { limit, bytes }) => [after, before, limit, bytes],
);

/** An event's place among its user's events: newest first, then by item_id, event_type and event_id. */
export type EventPlace = Pick<StoredEvent, 'ts' | 'item_id' | 'event_type' | 'event_id'>;

interface EventFilter {
  readonly userId: string;
  readonly eventType?: string | undefined;
  readonly sinceTs: number;
}

/**
 * The user's events after a place. Uses events_by_user, first for the rest of the place's time, then for earlier times.
 * Only events that differ in nothing but their ID are sorted, and read again by the next page.
 */
export async function listUserEvents(
  db: Queryable,
  dataset: Dataset,
  { userId, eventType, sinceTs }: EventFilter,
  after: EventPlace,
  { limit, bytes }: PageSize,
): Promise<(StoredEvent & PageRow)[]> {
  const table = partitionTable(dataset);
  const ofType = eventType === undefined ? '' : 'AND t.event_type = $10';
  const order = 'ts DESC, item_id, event_type, event_id';
  const part = (condition: string) =>
    `(SELECT ${eventColumns} FROM ${table} t
      WHERE t.dataset_key = $1 AND t.user_id = $2 AND t.ts >= $3 AND ${condition} ${ofType}
      ORDER BY t.ts DESC, t.item_id, t.event_type, t.event_id LIMIT $8)`;
  const sameTime = `t.ts = $4 AND (t.item_id, t.event_type) >= ($5, $6)
    AND ((t.item_id, t.event_type) > ($5, $6) OR t.event_id > $7)`;
  const statement = {
    name: `list_by_user_${eventType === undefined ? 'all' : 'type'}_${table}`,
    text: boundedRows(
      order,
      '$9',
      `SELECT * FROM (${part(sameTime)} UNION ALL ${part('t.ts < $4')}) found ORDER BY ${order} LIMIT $8`,
    ),
  };
  const { ts, item_id, event_type, event_id } = after;
  const values = [dataset.dataset_key, userId, sinceTs, ts, item_id, event_type, event_id, limit, bytes];
  return db.rows(statement, eventType === undefined ? values : [...values, eventType]);
}

/** The IDs of so many records are read in a few milliseconds, and drawn from exactly. */
const maxExact = 10_000;
/** Pages of a larger dataset's table that are read until the sample is complete: half a megabyte, then 16 MB. */
const pageTargets = [64, 2048] as const;

/**
 * Users or items at random, in random order. Of a large dataset, rows of random pages of its table, which other datasets may share:
 * each row has about the same chance, and the cost does not grow with the dataset. May return fewer than `count`.
 */
export async function sampleEntities(
  db: Queryable,
  dataset: Dataset & Pick<DatasetRow, 'record_count'>,
  size: number,
): Promise<readonly StoredEntity[]> {
  if (dataset.record_count <= maxExact) return sampleExactly(db, dataset, size);
  const tablePages = (await countPages(db, partitionTable(dataset))) || 1;
  let found: readonly StoredEntity[] = [];
  for (const pages of pageTargets) {
    found = await sampleShare(db, dataset, Math.min(100, (100 * pages) / tablePages), size);
    if (found.length === size) break;
  }
  return found;
}

/** The size of a table in pages. Reads the size of its file. */
export const countPages = count<[table: string]>(
  'read_table_pages',
  `SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::int)::float8 AS pages`,
);

const sampleShare = perPartition<[percent: number, size: number], StoredEntity>(
  'sample',
  (table, id) => `SELECT t.${id} AS id, t.attributes::text FROM ${table} t TABLESAMPLE SYSTEM ($2)
    WHERE t.dataset_key = $1 ORDER BY random() LIMIT $3`,
);

/** Scans the dataset's IDs by primary key. */
const sampleExactly = perPartition<[size: number], StoredEntity>(
  'sample_all',
  (table, id) => `SELECT t.${id} AS id, t.attributes::text FROM (
      SELECT ${id} FROM ${table} WHERE dataset_key = $1 ORDER BY random() LIMIT $2) drawn
    JOIN ${table} t ON t.dataset_key = $1 AND t.${id} = drawn.${id}`,
);

const lastCodePoint = 0x10_ff_ff;
const firstSurrogate = 0xd8_00;
const lastSurrogate = 0xdf_ff;

/** Greater than every ID. */
const endOfIds = String.fromCodePoint(lastCodePoint).repeat(limits.developerIdLength + 1);

/**
 * The smallest text that is greater than every ID with the prefix, in byte order of UTF-8, which is the order of code
 * points. A range of IDs needs no escaping, unlike LIKE, and PostgreSQL finds it by primary key.
 */
export function endOfPrefix(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point !== lastCodePoint);
  const point = points[last];
  if (point === undefined) return endOfIds;
  const next = point + 1 === firstSurrogate ? lastSurrogate + 1 : point + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
}
