import type { EventRecord } from '@tastegraph/contract';
import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { type Dataset, partitionTable, perPartition } from './datasets.ts';
import { addToCount, changedDays, pickCountSlot, type RecordRow, writeRows } from './write-slices.ts';

/**
 * Inserts or replaces events. Returns how many are new, and adds them to the dataset's count.
 *
 * Sends one JSON array per call. UNNEST was 20 % slower and took twice the client's CPU; COPY into a temporary table
 * was about equal but needs two more statements. All statements that write events lock rows in ID order, so that
 * overlapping calls never deadlock. Skips unchanged records: a repeated import causes no bloat. More than a megabyte is
 * split into several statements.
 */
export async function upsertEvents(
  db: Queryable,
  dataset: Dataset,
  events: readonly RecordRow[],
  slice?: Slice,
): Promise<number> {
  const table = partitionTable(dataset);
  const statement = {
    name: `upsert_${table}`,
    text: `WITH written AS (
        INSERT INTO ${table} AS t
          (dataset_key, event_id, user_id, item_id, ts, event_type, event_value, recommendation_id, attributes)
        SELECT $1, r.e, r.u, r.i, r.t, r.y, coalesce(r.v, 1), r.r, r.a
        FROM json_to_recordset($3::json)
          AS r(e text, u text, i text, t bigint, y text, v double precision, r text, a jsonb)
        ORDER BY r.e COLLATE "C"
        ON CONFLICT (dataset_key, event_id) DO UPDATE SET
          user_id = excluded.user_id, item_id = excluded.item_id, ts = excluded.ts,
          event_type = excluded.event_type, event_value = excluded.event_value,
          recommendation_id = excluded.recommendation_id, attributes = excluded.attributes
        WHERE (t.user_id, t.item_id, t.ts, t.event_type, t.event_value, t.recommendation_id, t.attributes) IS DISTINCT FROM
          (excluded.user_id, excluded.item_id, excluded.ts, excluded.event_type, excluded.event_value,
           excluded.recommendation_id, excluded.attributes)
        RETURNING t.event_id AS id, t.ts, (xmax = 0) AS inserted
      ), ${addToCount('SELECT count(*) FILTER (WHERE inserted) FROM written', [], changedDays(timesOf(table)))}`,
  };
  return writeRows(db, dataset, events, slice, statement);
}

/**
 * SQL: the times of the events in `written`, before and after. The statement's snapshot has the earlier rows; they are looked
 * up as in listEventIds, and only for events that existed.
 */
export const timesOf = (table: string) =>
  `SELECT ts FROM written UNION ALL SELECT old.ts FROM written w JOIN LATERAL (
      SELECT o.event_id, o.ts FROM ${table} o WHERE o.dataset_key = $1 AND o.event_id >= w.id ORDER BY o.event_id LIMIT 1
    ) old ON old.event_id = w.id WHERE NOT w.inserted`;

/** Short keys, since they are written and parsed a thousand times per call. Defaults are left out. */
export function eventRow(event: EventRecord): RecordRow {
  const { event_id, user_id, item_id, ts, event_type, event_value, recommendation_id, attributes } = event;
  const row = {
    e: event_id,
    u: user_id,
    i: item_id,
    t: ts,
    y: event_type,
    v: event_value,
    r: recommendation_id,
    a: attributes && Object.keys(attributes).length > 0 ? attributes : undefined,
  };
  return { id: event_id, json: JSON.stringify(row) };
}

/**
 * The IDs that have an event. One lookup per ID, ordered by event_id: only the primary key has that order, so the
 * planner takes no other index, whatever its statistics (15 ms for 1000 IDs, instead of 8 s).
 */
export const listEventIds = perPartition<[ids: readonly string[]], { id: string }>(
  'list_ids',
  (table) => `SELECT asked.id FROM unnest($2::text[]) AS asked(id) JOIN LATERAL (
      SELECT t.event_id FROM ${table} t WHERE t.dataset_key = $1 AND t.event_id >= asked.id
      ORDER BY t.event_id LIMIT 1
    ) found ON found.event_id = asked.id`,
);

/** The result of one step of a bulk delete. */
export interface DeleteStep {
  readonly deleted: number;
  /** The last event's time; undefined when nothing is left. */
  readonly reachedTs: number | undefined;
}

/**
 * Deletes up to `limit` of a user's events with `ts <= fromTs`, newest first, and subtracts them from the count. Uses
 * events_by_user. Goes back in time, so that new events do not prolong the delete.
 */
export async function deleteUserEvents(
  db: Queryable,
  dataset: Dataset,
  userId: string,
  fromTs: number,
  limit: number,
): Promise<DeleteStep> {
  const condition = 't.user_id = $4 AND t.ts <= $5';
  // The full order of the index. By time alone, PostgreSQL could also choose events_by_ts while the table looks small.
  const order = 't.ts DESC, t.item_id, t.event_type';
  return deleteStep(db, dataset, { by: 'user', condition, order, last: 'min' }, limit, [userId, fromTs]);
}

/**
 * Deletes up to `limit` events with `fromTs <= ts < beforeTs`, oldest first, and subtracts them from the count. Uses
 * events_by_ts. By retention, outcomes stay as they were counted while the events were there.
 */
export async function deleteEventsBetween(
  db: Queryable,
  dataset: Dataset,
  fromTs: number,
  beforeTs: number,
  limit: number,
  by: 'ts' | 'retention' = 'ts',
): Promise<DeleteStep> {
  const condition = 't.ts >= $4 AND t.ts < $5';
  return deleteStep(db, dataset, { by, condition, order: 't.ts', last: 'max' }, limit, [fromTs, beforeTs]);
}

/**
 * SQL: outcomes include no earlier events. The decision log is kept for at most 60 days, and the bit of an earlier day would stand for a
 * recent one, whose events would be attributed again.
 */
const attributedFromTs = '(extract(epoch FROM now()) - 62 * 86400) * 1000';

/**
 * Selects by index, locks in ID order as upsertEvents does, then deletes. Keeps an event that is written between select
 * and lock: it is newer than the delete.
 *
 * Finds the selected rows again by ctid, which is stable within one statement. By ID, the plan would depend on
 * statistics: all three indexes start with dataset_key, and while the table looks small, PostgreSQL takes any of them
 * and compares every row of the dataset with 5000 IDs: minutes per step instead of 15 ms (35 ms with the primary key).
 * IS TRUE keeps the condition as a check only, so that it does not influence the choice of index.
 */
async function deleteStep(
  db: Queryable,
  dataset: Dataset,
  scan: { by: 'user' | 'ts' | 'retention'; condition: string; order: string; last: 'min' | 'max' },
  limit: number,
  values: readonly unknown[],
): Promise<DeleteStep> {
  const table = partitionTable(dataset);
  const where = `t.dataset_key = $1 AND ${scan.condition}`;
  const statement = {
    name: `delete_by_${scan.by}_${table}`,
    text: `WITH picked AS MATERIALIZED (
        SELECT t.ctid, t.ts FROM ${table} t WHERE ${where} ORDER BY ${scan.order} LIMIT $3
      ), locked AS MATERIALIZED (
        SELECT t.ctid FROM ${table} t
        WHERE t.ctid = ANY (ARRAY(SELECT ctid FROM picked)) AND (${where}) IS TRUE
        ORDER BY t.event_id FOR UPDATE
      ), deleted AS (
        DELETE FROM ${table} t WHERE t.ctid = ANY (ARRAY(SELECT ctid FROM locked)) RETURNING 1
      ), ${addToCount(
        'SELECT -count(*) FROM deleted',
        [
          '(SELECT count(*)::int FROM picked) AS picked',
          `(SELECT ${scan.last}(ts)::float8 FROM picked) AS reached`,
        ],
        scan.by === 'retention'
          ? undefined
          : changedDays(`SELECT ts FROM picked WHERE ts >= ${attributedFromTs}`),
      )}`,
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
