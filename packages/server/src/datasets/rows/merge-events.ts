import type { EventChange } from '@tastegraph/contract';
import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { type Dataset, partitionTable } from './datasets.ts';
import { timesOf } from './events.ts';
import {
  fitsBytes,
  type MergedSlice,
  type MergeRow,
  merged,
  mergeRecords,
  splitAttributes,
  textBytes,
} from './merge-records.ts';
import { addToCount, changedDays, type RecordRow } from './write-slices.ts';

interface MergedEvents {
  /** IDs of events that would become too large; these stay unchanged. */
  readonly tooLarge: string[];
  /** IDs of events that lack a required field and do not exist yet. */
  readonly incomplete: string[];
}

/** Fields that were not sent are marked with an empty text or a time of -1, which no event has. */
const keepUnlessSent = (column: string, absent: string) =>
  `CASE excluded.${column} WHEN ${absent} THEN t.${column} ELSE excluded.${column} END`;
const after = {
  user_id: keepUnlessSent('user_id', "''"),
  item_id: keepUnlessSent('item_id', "''"),
  ts: keepUnlessSent('ts', '-1'),
  event_type: keepUnlessSent('event_type', "''"),
  event_value: `CASE WHEN $4::jsonb -> t.event_id ? 'keepsValue' THEN t.event_value ELSE excluded.event_value END`,
  recommendation_id: 'coalesce(excluded.recommendation_id, t.recommendation_id)',
};
const isIncomplete = `(t.user_id = '' OR t.item_id = '' OR t.ts = -1 OR t.event_type = '')`;

const mergedOf = (sent: string, instructions: string) =>
  merged(`coalesce(t.attributes, '{}')`, `coalesce(${sent}, '{}')`, instructions, 't.event_id');
const afterAttributes = `nullif(${mergedOf('excluded.attributes', '$4')}, '{}')`;

/** SQL: the bytes of an event that are left for its attributes. */
const maxAttributeBytes = (fields: typeof sentOrStored, max = '$5') =>
  `(${max} - ${textBytes('t.event_id')} - ${textBytes(fields.user_id)} - ${textBytes(fields.item_id)}
    - octet_length((${fields.ts})::text) - ${textBytes(fields.event_type)} - octet_length((${fields.event_value})::text)
    - coalesce(${textBytes(fields.recommendation_id)} + ${',"recommendation_id":'.length}, 0))`;
/** The fields of an event as they would be: in `r` those that were sent, in `t` the others. */
const sentOrStored = {
  user_id: 'coalesce(r.u, t.user_id)',
  item_id: 'coalesce(r.i, t.item_id)',
  ts: 'coalesce(r.t, t.ts)',
  event_type: 'coalesce(r.y, t.event_type)',
  event_value: 'coalesce(r.v, t.event_value)',
  recommendation_id: 'coalesce(r.r, t.recommendation_id)',
};
const syntaxBytes = '{"event_id":,"user_id":,"item_id":,"ts":,"event_type":,"event_value":,"attributes":}'
  .length;

/**
 * Sets the given fields and attributes of events, removes attributes that are null and keeps the others; inserts events
 * that do not exist and are complete. One statement per slice, so that no concurrent merge of an event is lost. Locks
 * as upsertEvents does. An incomplete event is inserted with marks and deleted in the same transaction: checking first
 * whether it exists would lock in two passes, which could deadlock.
 */
export async function mergeEvents(
  db: Queryable,
  dataset: Dataset,
  events: readonly RecordRow[],
  maxBytes: number,
  slice?: Slice,
): Promise<MergedEvents> {
  const table = partitionTable(dataset);
  const columns = Object.entries(after);
  const incomplete: string[] = [];
  const tooLarge = await mergeRecords<MergedSlice & { incomplete: string[]; places: string[] }>(
    db,
    dataset,
    events,
    slice,
    {
      table,
      text: `WITH written AS (
        INSERT INTO ${table} AS t
          (dataset_key, event_id, user_id, item_id, ts, event_type, event_value, recommendation_id, attributes)
        SELECT $1, r.id, coalesce(r.u, ''), coalesce(r.i, ''), coalesce(r.t, -1), coalesce(r.y, ''), coalesce(r.v, 1), r.r,
          r.a
        FROM json_to_recordset($3::json)
          AS r(id text, u text, i text, t bigint, y text, v double precision, r text, a jsonb)
        ORDER BY r.id COLLATE "C"
        ON CONFLICT (dataset_key, event_id) DO UPDATE SET
          ${columns.map(([name, value]) => `${name} = ${value}`).join(', ')}, attributes = ${afterAttributes}
        WHERE (${columns.map(([name]) => `t.${name}`).join(', ')}, t.attributes) IS DISTINCT FROM
            (${columns.map(([, value]) => value).join(', ')}, ${afterAttributes})
          AND ${fitsBytes(mergedOf('excluded.attributes', '$4'), maxAttributeBytes(after))}
        RETURNING t.event_id AS id, t.ts, (xmax = 0) AS inserted, ${isIncomplete} AS incomplete, t.ctid AS place
      ), ${addToCount(
        'SELECT count(*) FILTER (WHERE inserted AND NOT incomplete) FROM written',
        [
          'ARRAY(SELECT id FROM written) AS ids',
          'ARRAY(SELECT id FROM written WHERE incomplete) AS incomplete',
          'ARRAY(SELECT place::text FROM written WHERE incomplete) AS places',
        ],
        changedDays(`SELECT ts FROM (${timesOf(table)}) AS times WHERE ts >= 0`),
      )}`,
      more: [maxBytes - syntaxBytes],
      tooLarge: {
        id: 'event_id',
        columns: 'u text, i text, t bigint, y text, v double precision, r text, a jsonb',
        fits: fitsBytes(
          mergedOf('r.a', '$3'),
          maxAttributeBytes(sentOrStored, String(maxBytes - syntaxBytes)),
        ),
      },
      onWritten: async (row) => {
        if (row.places.length > 0) await deleteAt(db, table, row.places);
        incomplete.push(...row.incomplete);
      },
    },
  );
  return { tooLarge, incomplete };
}

/** Deletes rows that this transaction inserted: no other transaction sees or moves them. */
async function deleteAt(db: Queryable, table: string, ctids: readonly string[]): Promise<void> {
  const text = `DELETE FROM ${table} WHERE ctid = ANY ($1::tid[])`;
  await db.rows({ name: `delete_incomplete_${table}`, text }, [ctids]);
}

export function eventChangeRow(event: EventChange): MergeRow {
  const { set, removed } = splitAttributes(event.attributes);
  const row = {
    id: event.event_id,
    u: event.user_id,
    i: event.item_id,
    t: event.ts,
    y: event.event_type,
    v: event.event_value,
    r: event.recommendation_id,
    a: Object.keys(set).length > 0 ? set : undefined,
  };
  return { id: row.id, removed, keepsValue: event.event_value === undefined, json: JSON.stringify(row) };
}
