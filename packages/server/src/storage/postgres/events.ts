import type { EventRecord } from '@tastegraph/contract';
import { type DatasetRow, partitionTable } from './datasets.ts';
import type { Queryable } from './pool.ts';
import { addToCount, pickCountSlot } from './record-counts.ts';

type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

/**
 * Inserts or replaces events; returns how many are new, which it has added to the dataset's count.
 *
 * One array of JSON a call: measured against UNNEST (20 % slower, twice the client's CPU) and against COPY into
 * a temporary table (about equal, and two statements more). Rows are locked in the order of their ids, as by
 * every statement that writes events, so that overlapping calls wait for each other and never in a circle. A
 * record that is there already, exactly so, is not written again: a repeated import costs no bloat.
 */
export async function upsertEvents(
  db: Queryable,
  dataset: Dataset,
  events: readonly EventRecord[],
): Promise<number> {
  const table = partitionTable(dataset);
  const statement = {
    name: `upsert_${table}`,
    text: `WITH written AS (
        INSERT INTO ${table} AS t
          (dataset_key, event_id, user_id, item_id, ts, event_type, event_value, attributes)
        SELECT $1, r.e, r.u, r.i, r.t, r.y, coalesce(r.v, 1), r.a
        FROM json_to_recordset($3::json)
          AS r(e text, u text, i text, t bigint, y text, v double precision, a jsonb)
        ORDER BY r.e COLLATE "C"
        ON CONFLICT (dataset_key, event_id) DO UPDATE SET
          user_id = excluded.user_id, item_id = excluded.item_id, ts = excluded.ts,
          event_type = excluded.event_type, event_value = excluded.event_value, attributes = excluded.attributes
        WHERE (t.user_id, t.item_id, t.ts, t.event_type, t.event_value, t.attributes) IS DISTINCT FROM
          (excluded.user_id, excluded.item_id, excluded.ts, excluded.event_type, excluded.event_value,
           excluded.attributes)
        RETURNING (xmax = 0) AS inserted
      ), ${addToCount('SELECT count(*) FILTER (WHERE inserted) FROM written')}`,
  };
  const [row] = await db.rows<{ changed: number }>(statement, [
    dataset.dataset_key,
    pickCountSlot(),
    JSON.stringify(events.map(toRow)),
  ]);
  return row?.changed ?? 0;
}

/** Short keys: they are written and parsed a thousand times a call. What is left out is the default. */
function toRow({ event_id, user_id, item_id, ts, event_type, event_value, attributes }: EventRecord): object {
  return {
    e: event_id,
    u: user_id,
    i: item_id,
    t: ts,
    y: event_type,
    v: event_value,
    a: attributes && Object.keys(attributes).length > 0 ? attributes : undefined,
  };
}

/**
 * Which of the ids have an event. By primary key, one by one: only that one has them in the order asked for, so the
 * planner takes no other index of the dataset, whatever its statistics say (15 ms for 1000 ids, against 8 s).
 */
export async function listEventIds(
  db: Queryable,
  dataset: Dataset,
  ids: readonly string[],
): Promise<string[]> {
  const table = partitionTable(dataset);
  const rows = await db.rows<{ event_id: string }>(
    {
      name: `list_ids_${table}`,
      text: `SELECT asked.event_id FROM unnest($2::text[]) AS asked(event_id) JOIN LATERAL (
          SELECT t.event_id FROM ${table} t WHERE t.dataset_key = $1 AND t.event_id >= asked.event_id
          ORDER BY t.event_id LIMIT 1
        ) found ON found.event_id = asked.event_id`,
    },
    [dataset.dataset_key, ids],
  );
  return rows.map((row) => row.event_id);
}

/** Where a walk of deletes stands, and whether it is at its end. */
export interface DeleteStep {
  readonly deleted: number;
  /** Time of the last event looked at; undefined when there is nothing more. */
  readonly reachedTs: number | undefined;
}

/**
 * Deletes up to `limit` of a user's events that are not newer than `fromTs`, newest first, and takes them off
 * the count. Walks events_by_user; a walk goes down in time, so events written meanwhile do not prolong it.
 */
export async function deleteUserEvents(
  db: Queryable,
  dataset: Dataset,
  userId: string,
  fromTs: number,
  limit: number,
): Promise<DeleteStep> {
  const doomed = 't.user_id = $4 AND t.ts <= $5';
  // In the whole order of the index: by time alone, events_by_ts would do as well while the table seems small.
  const order = 't.ts DESC, t.item_id, t.event_type';
  return deleteStep(db, dataset, { by: 'user', doomed, order, last: 'min' }, limit, [userId, fromTs]);
}

/**
 * Deletes up to `limit` events with `fromTs <= ts < beforeTs`, oldest first, and takes them off the count.
 * Walks events_by_ts.
 */
export async function deleteEventsBetween(
  db: Queryable,
  dataset: Dataset,
  fromTs: number,
  beforeTs: number,
  limit: number,
): Promise<DeleteStep> {
  const doomed = 't.ts >= $4 AND t.ts < $5';
  return deleteStep(db, dataset, { by: 'ts', doomed, order: 't.ts', last: 'max' }, limit, [fromTs, beforeTs]);
}

/**
 * Picks by index, then locks in the order of ids, as upsertEvents does, then deletes. An event that a call writes
 * between picking and locking stays: it is newer than the delete.
 *
 * What was picked is found again by its place (ctid), which one statement can rely on. By id it would be up to the
 * planner's statistics: all three indexes begin with dataset_key, and while those say that the table is small it
 * takes any of them, then to look for each row of the dataset among 5000 ids: minutes a step instead of 15 ms
 * (by the primary key: 35 ms). IS TRUE keeps the condition for a check, away from the choice of an index.
 */
async function deleteStep(
  db: Queryable,
  dataset: Dataset,
  walk: { by: 'user' | 'ts'; doomed: string; order: string; last: 'min' | 'max' },
  limit: number,
  values: readonly unknown[],
): Promise<DeleteStep> {
  const table = partitionTable(dataset);
  const where = `t.dataset_key = $1 AND ${walk.doomed}`;
  const statement = {
    name: `delete_by_${walk.by}_${table}`,
    text: `WITH picked AS MATERIALIZED (
        SELECT t.ctid, t.ts FROM ${table} t WHERE ${where} ORDER BY ${walk.order} LIMIT $3
      ), locked AS MATERIALIZED (
        SELECT t.ctid FROM ${table} t
        WHERE t.ctid = ANY (ARRAY(SELECT ctid FROM picked)) AND (${where}) IS TRUE
        ORDER BY t.event_id FOR UPDATE
      ), deleted AS (
        DELETE FROM ${table} t WHERE t.ctid = ANY (ARRAY(SELECT ctid FROM locked)) RETURNING 1
      ), ${addToCount('SELECT -count(*) FROM deleted', [
        '(SELECT count(*)::int FROM picked) AS picked',
        `(SELECT ${walk.last}(ts)::float8 FROM picked) AS reached`,
      ])}`,
  };
  const [row] = await db.rows<{ changed: number; picked: number; reached: number | null }>(statement, [
    dataset.dataset_key,
    pickCountSlot(),
    limit,
    ...values,
  ]);
  const reached = row?.picked === limit ? row.reached : null;
  return { deleted: -(row?.changed ?? 0), reachedTs: reached ?? undefined };
}
