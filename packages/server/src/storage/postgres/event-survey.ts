import { type DatasetRow, partitionTable } from './datasets.ts';
import type { Queryable } from './pool.ts';

/**
 * Asked seldom, of any of 64 x 16 pairs of tables: not kept by the connection, and planned for the values at hand, since
 * what is right for one dataset's share of its partition is not for another's.
 */
const unnamed = '';

type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

/** All events of a dataset; or those on this percentage of its partition's pages, always the same ones. */
export interface EventSource {
  readonly dataset: Dataset;
  readonly percent?: number;
}

/** $1 is the dataset's key. A sample reads pages of the table, whoever's events are on them, and no index. */
function from({ dataset, percent }: EventSource, percentParameter: string) {
  const sample = percent === undefined ? '' : `TABLESAMPLE SYSTEM (${percentParameter}::real) REPEATABLE (1)`;
  return {
    text: `FROM ${partitionTable(dataset)} e ${sample} WHERE e.dataset_key = $1`,
    values: percent === undefined ? [] : [percent],
  };
}

export interface EventTypesRow {
  readonly event_type: string;
  readonly count: number;
  /** Of all types, also those past the limit. */
  readonly types: number;
  readonly events: number;
  readonly target_events: number;
}

/** Event types and their counts, most frequent first. All events: events_by_user from end to end, the index alone. */
export async function listEventTypes(
  db: Queryable,
  source: EventSource,
  targetType: string,
  limit: number,
): Promise<EventTypesRow[]> {
  const { text, values } = from(source, '$4');
  const statement = {
    name: unnamed,
    text: `SELECT event_type, count(*)::float8 AS count, (count(*) OVER ())::float8 AS types,
        (sum(count(*)) OVER ())::float8 AS events,
        coalesce(sum(count(*)) FILTER (WHERE event_type = $2) OVER (), 0)::float8 AS target_events
      ${text} GROUP BY event_type ORDER BY count(*) DESC, event_type LIMIT $3`,
  };
  return db.rows(statement, [source.dataset.dataset_key, targetType, limit, ...values]);
}

export interface UsersRow {
  readonly users: number;
  /** Users who have one event in the source. */
  readonly users_once: number;
  /** Users who have target events, and those who have one. */
  readonly target_users: number;
  readonly target_users_once: number;
}

/** All events: events_by_user from end to end, grouped as it is ordered, the index alone. */
export async function countUsers(db: Queryable, source: EventSource, targetType: string): Promise<UsersRow> {
  const { text, values } = from(source, '$3');
  const statement = {
    name: unnamed,
    text: `SELECT count(*)::float8 AS users, (count(*) FILTER (WHERE events = 1))::float8 AS users_once,
        (count(*) FILTER (WHERE target_events > 0))::float8 AS target_users,
        (count(*) FILTER (WHERE target_events = 1))::float8 AS target_users_once
      FROM (SELECT count(*) AS events, count(*) FILTER (WHERE e.event_type = $2) AS target_events
        ${text} GROUP BY e.user_id) of_user`,
  };
  return one(await db.rows<UsersRow>(statement, [source.dataset.dataset_key, targetType, ...values]));
}

export interface ItemsRow {
  readonly has_record: boolean;
  readonly items: number;
  /** Items that have one event in the source. */
  readonly items_once: number;
  /** Items that have target events. */
  readonly target_items: number;
  readonly events: number;
}

/**
 * Items that occur in the source, apart by whether they have a record: at most two rows. All events: events_by_user from
 * end to end, the index alone; then one descent of the items' primary key for each item that occurs, however many have a
 * record. The scalar subquery keeps PostgreSQL from reading all records instead.
 */
export async function countItems(
  db: Queryable,
  source: EventSource,
  items: Dataset,
  targetType: string,
): Promise<ItemsRow[]> {
  const { text, values } = from(source, '$4');
  const statement = {
    name: unnamed,
    text: `SELECT has_record, count(*)::float8 AS items, (count(*) FILTER (WHERE events = 1))::float8 AS items_once,
        (count(*) FILTER (WHERE target_events > 0))::float8 AS target_items, sum(events)::float8 AS events
      FROM (SELECT count(*) AS events, count(*) FILTER (WHERE e.event_type = $2) AS target_events,
          (SELECT true FROM ${partitionTable(items)} i WHERE i.dataset_key = $3 AND i.item_id = e.item_id)
            IS NOT NULL AS has_record
        ${text} GROUP BY e.item_id) of_item
      GROUP BY has_record`,
  };
  return db.rows(statement, [source.dataset.dataset_key, targetType, items.dataset_key, ...values]);
}

/** How many parts the hash of an event's id is cut into, to draw some of them: a power of two. */
const drawParts = 2 ** 20;

export interface DrawnUsersRow {
  /** Events drawn. */
  readonly drawn: number;
  /** Of those, events that are their user's only one, and events of users who have as many as were counted at most. */
  readonly single: number;
  readonly heavy: number;
  /** The sum, over the events drawn, of 1 / the number of their user's events. */
  readonly inverse: number;
}

/**
 * Draws this share of a sample's events by the hash of their ids, and counts the events of each one's user, up to `most`:
 * a range of events_by_user, the index alone. Users are so drawn by how many events they have, which the inverse undoes.
 */
export async function drawUsers(
  db: Queryable,
  source: Required<EventSource>,
  share: number,
  most: number,
): Promise<DrawnUsersRow> {
  const { text, values } = from(source, '$4');
  const statement = {
    name: unnamed,
    text: `SELECT count(*)::float8 AS drawn, (count(*) FILTER (WHERE own.events = 1))::float8 AS single,
        (count(*) FILTER (WHERE own.events = $3))::float8 AS heavy,
        coalesce(sum(1 / own.events::float8), 0) AS inverse
      FROM (SELECT e.user_id ${text} AND hashtextextended(e.event_id, 0) & ${drawParts - 1} < $2) picked
      CROSS JOIN LATERAL (SELECT count(*) AS events FROM (
        SELECT FROM ${partitionTable(source.dataset)} o
        WHERE o.dataset_key = $1 AND o.user_id = picked.user_id LIMIT $3) capped) own`,
  };
  const below = Math.ceil(Math.min(1, share) * drawParts);
  return one(await db.rows<DrawnUsersRow>(statement, [source.dataset.dataset_key, below, most, ...values]));
}

/** Two descents of events_by_ts; nulls when there are no events. */
export async function findTimes(
  db: Queryable,
  dataset: Dataset,
): Promise<{ first_ts: number | null; last_ts: number | null }> {
  const table = partitionTable(dataset);
  const statement = {
    name: unnamed,
    text: `SELECT (SELECT min(ts) FROM ${table} WHERE dataset_key = $1)::float8 AS first_ts,
      (SELECT max(ts) FROM ${table} WHERE dataset_key = $1)::float8 AS last_ts`,
  };
  return one(
    await db.rows<{ first_ts: number | null; last_ts: number | null }>(statement, [dataset.dataset_key]),
  );
}

/**
 * Whether the dataset has an event of the type; stops at the first. Without one, it walks events_by_user from end to end,
 * where the type is compared before anything else is done with an entry.
 */
export async function hasEventOfType(db: Queryable, dataset: Dataset, eventType: string): Promise<boolean> {
  const table = partitionTable(dataset);
  const statement = {
    name: unnamed,
    text: `SELECT EXISTS (SELECT FROM ${table} WHERE dataset_key = $1 AND event_type = $2) AS found`,
  };
  return one(await db.rows<{ found: boolean }>(statement, [dataset.dataset_key, eventType])).found;
}

/** Pages of the partition that the dataset's events are in, of which `percent` is a part. Asks the file system. */
export async function countEventPages(db: Queryable, dataset: Dataset): Promise<number> {
  const table = partitionTable(dataset);
  const statement = {
    name: unnamed,
    text: `SELECT (pg_relation_size('${table}') / current_setting('block_size')::int)::float8 AS pages`,
  };
  return one(await db.rows<{ pages: number }>(statement, [])).pages;
}

function one<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('a count has no row');
  return row;
}
