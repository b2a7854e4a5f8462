import { latestTs } from '../../datasets/event-times.ts';
import { type Dataset, partitionTable, perPartition } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';

/**
 * $1 is the dataset's key. Not a named statement: these run rarely, over 64 x 16 pairs of tables. They are planned for the actual values, since
 * the right plan depends on the dataset's share of its partition.
 */
const rowsOf = async <Row>(db: Queryable, dataset: Dataset, text: string, more: readonly unknown[] = []) =>
  db.rows<Row>({ name: '', text }, [dataset.dataset_key, ...more]);

async function rowOf<Row>(
  db: Queryable,
  dataset: Dataset,
  text: string,
  more?: readonly unknown[],
): Promise<Row> {
  const [row] = await rowsOf<Row>(db, dataset, text, more);
  if (!row) throw new Error('a count has no row');
  return row;
}

/** All events of a dataset that are not too far in the future, or those on this percentage of its partition's pages (always the same pages). */
interface EventSource {
  readonly dataset: Dataset;
  readonly percent?: number;
}

/** $1 is the dataset's key. A sample reads table pages, including other datasets' events on them, and no index. */
function fromClause({ dataset, percent }: EventSource, percentParameter: string) {
  const sample = percent === undefined ? '' : `TABLESAMPLE SYSTEM (${percentParameter}::real) REPEATABLE (1)`;
  return {
    text: `FROM ${partitionTable(dataset)} e ${sample} WHERE e.dataset_key = $1 AND e.ts <= ${latestTs()}`,
    values: percent === undefined ? [] : [percent],
  };
}

export interface EventTypesRow {
  readonly event_type: string;
  readonly count: number;
  /** The number of all types, including those beyond the limit. */
  readonly types: number;
  readonly events: number;
  readonly target_events: number;
}

/** Event types and their counts, most frequent first. For all events, an index-only scan of events_by_user. */
export async function listEventTypes(
  db: Queryable,
  source: EventSource,
  targetType: string,
  limit: number,
): Promise<EventTypesRow[]> {
  const { text, values } = fromClause(source, '$4');
  return rowsOf(
    db,
    source.dataset,
    `SELECT event_type, count(*)::float8 AS count, (count(*) OVER ())::float8 AS types,
        (sum(count(*)) OVER ())::float8 AS events,
        coalesce(sum(count(*)) FILTER (WHERE event_type = $2) OVER (), 0)::float8 AS target_events
      ${text} GROUP BY event_type ORDER BY count(*) DESC, event_type LIMIT $3`,
    [targetType, limit, ...values],
  );
}

interface UsersRow {
  readonly users: number;
  /** Users with exactly one event in the source. */
  readonly users_once: number;
  /** Users with target events, and those with exactly one. */
  readonly target_users: number;
  readonly target_users_once: number;
}

/** For all events, an index-only scan of events_by_user, grouped in index order. */
export async function countUsers(db: Queryable, source: EventSource, targetType: string): Promise<UsersRow> {
  const { text, values } = fromClause(source, '$3');
  return rowOf(
    db,
    source.dataset,
    `SELECT count(*)::float8 AS users, (count(*) FILTER (WHERE events = 1))::float8 AS users_once,
        (count(*) FILTER (WHERE target_events > 0))::float8 AS target_users,
        (count(*) FILTER (WHERE target_events = 1))::float8 AS target_users_once
      FROM (SELECT count(*) AS events, count(*) FILTER (WHERE e.event_type = $2) AS target_events
        ${text} GROUP BY e.user_id) of_user`,
    [targetType, ...values],
  );
}

export interface ItemsRow {
  readonly has_record: boolean;
  readonly items: number;
  /** Items with exactly one event in the source. */
  readonly items_once: number;
  /** Items with target events. */
  readonly target_items: number;
  readonly events: number;
}

/**
 * The items in the source, by whether they have a record: at most two rows. For all events, an index-only scan of
 * events_by_user. Then one lookup in the items' primary key per item; or, if `joined`, one index-only scan of the catalogue, which
 * takes about half the time for 120,000 of 200,000 items. The scalar subquery keeps PostgreSQL from reading a larger one.
 */
export async function countItems(
  db: Queryable,
  source: EventSource,
  items: Dataset,
  targetType: string,
  joined: boolean,
): Promise<ItemsRow[]> {
  const { text, values } = fromClause(source, '$4');
  const grouped = `SELECT e.item_id, count(*) AS events, count(*) FILTER (WHERE e.event_type = $2) AS target_events
    ${text} GROUP BY e.item_id`;
  const table = partitionTable(items);
  const of_item = joined
    ? `SELECT g.*, i.item_id IS NOT NULL AS has_record
          FROM (${grouped}) g LEFT JOIN ${table} i ON i.dataset_key = $3 AND i.item_id = g.item_id`
    : `SELECT g.*, (SELECT true FROM ${table} i WHERE i.dataset_key = $3 AND i.item_id = g.item_id)
          IS NOT NULL AS has_record FROM (${grouped}) g`;
  return rowsOf(
    db,
    source.dataset,
    `SELECT has_record, count(*)::float8 AS items, (count(*) FILTER (WHERE events = 1))::float8 AS items_once,
        (count(*) FILTER (WHERE target_events > 0))::float8 AS target_items, sum(events)::float8 AS events
      FROM (${of_item}) of_item GROUP BY has_record`,
    [targetType, items.dataset_key, ...values],
  );
}

/** The number of hash buckets that events are drawn from: a power of two. */
const drawParts = 2 ** 20;

interface DrawnUsersRow {
  /** Events drawn. */
  readonly drawn: number;
  /** Of those, events that are their user's only one, and events whose user reached the counting limit. */
  readonly single: number;
  readonly heavy: number;
  /** The sum of 1 / (number of the user's events), over the drawn events. */
  readonly inverse: number;
}

/**
 * Draws a share of a sample's events by the hash of their IDs, and counts each user's events, up to `maxEvents`: an
 * index-only range scan of events_by_user. Users are drawn in proportion to their events, which the inverse corrects.
 */
export async function drawUsers(
  db: Queryable,
  source: Required<EventSource>,
  share: number,
  maxEvents: number,
): Promise<DrawnUsersRow> {
  const { text, values } = fromClause(source, '$4');
  return rowOf(
    db,
    source.dataset,
    `SELECT count(*)::float8 AS drawn, (count(*) FILTER (WHERE own.events = 1))::float8 AS single,
        (count(*) FILTER (WHERE own.events = $3))::float8 AS heavy,
        coalesce(sum(1 / own.events::float8), 0) AS inverse
      FROM (SELECT e.user_id ${text} AND hashtextextended(e.event_id, 0) & ${drawParts - 1} < $2) picked
      CROSS JOIN LATERAL (SELECT count(*) AS events FROM (
        SELECT FROM ${partitionTable(source.dataset)} o
        WHERE o.dataset_key = $1 AND o.user_id = picked.user_id AND o.ts <= ${latestTs()} LIMIT $3) capped) own`,
    [Math.ceil(Math.min(1, share) * drawParts), maxEvents, ...values],
  );
}

export interface TimeRange {
  /** Null without events. */
  readonly first_ts: number | null;
  readonly last_ts: number | null;
  /** Events that are ignored because they are too far in the future: at most `maxFuture`. */
  readonly future_events: number;
}

/** More are not counted: a few say as much. */
export const maxFuture = 10_000;

/** Two lookups in events_by_ts, and a scan of its end. */
export async function findTimeRange(db: Queryable, dataset: Dataset): Promise<TimeRange> {
  const events = `FROM ${partitionTable(dataset)} WHERE dataset_key = $1 AND ts`;
  return rowOf(
    db,
    dataset,
    `SELECT (SELECT min(ts) ${events} <= $2)::float8 AS first_ts,
      (SELECT max(ts) ${events} <= $2)::float8 AS last_ts,
      (SELECT count(*) FROM (SELECT ${events} > $2 LIMIT $3) future)::float8 AS future_events`,
    [latestTs(), maxFuture],
  );
}

/** Stops at the first match. Without one, scans all of events_by_user, comparing only the type. */
export async function hasEventOfType(db: Queryable, dataset: Dataset, eventType: string): Promise<boolean> {
  const text = `SELECT EXISTS (SELECT FROM ${partitionTable(dataset)} WHERE dataset_key = $1 AND ts <= ${latestTs()} AND event_type = $2) AS found`;
  return (await rowOf<{ found: boolean }>(db, dataset, text, [eventType])).found;
}

export interface AttributeValuesRow {
  readonly name: string;
  /** Distinct values (array elements count one by one), and those that only one record has. */
  readonly values: number;
  readonly unshared: number;
}

/** The most names to return, those with the most unshared values first: records may have any number of names. */
const maxNames = 200;

/** Attributes that are not numeric, and how many values records share, among the first `maxRecords` by primary key. */
export const listAttributeValues = perPartition<[maxRecords: number], AttributeValuesRow>(
  'list_attribute_values',
  (table, id) =>
    `SELECT * FROM (SELECT name, count(*)::float8 AS values, (count(*) FILTER (WHERE bearers = 1))::float8 AS unshared
      FROM (SELECT attribute.key AS name, element, count(DISTINCT record.id) AS bearers
        FROM (SELECT ${id} AS id, attributes FROM ${table} WHERE dataset_key = $1 ORDER BY ${id} LIMIT $2) record
        CROSS JOIN jsonb_each(record.attributes) attribute
        CROSS JOIN jsonb_array_elements(CASE jsonb_typeof(attribute.value)
          WHEN 'array' THEN attribute.value ELSE jsonb_build_array(attribute.value) END) element
        WHERE jsonb_typeof(element) NOT IN ('number', 'null')
        GROUP BY attribute.key, element) of_value
      GROUP BY name ORDER BY unshared DESC, name LIMIT ${maxNames}) of_name ORDER BY name`,
);
