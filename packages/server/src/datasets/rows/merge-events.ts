import type { EventChange } from '@tastegraph/contract';
import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { type DatasetRow, partitionTable } from './datasets.ts';
import { timesOf } from './events.ts';
import {
  fitsBytes,
  listTooLarge,
  type MergeRow,
  merged,
  mergeInstructions,
  splitAttributes,
  textBytes,
} from './merge-records.ts';
import {
  addToCount,
  type Changed,
  changedDays,
  cutIntoSlices,
  jsonArrayOf,
  type RecordRow,
  writeSlices,
} from './write-slices.ts';

type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

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
};
const afterRecommendation = 'coalesce(excluded.recommendation_id, t.recommendation_id)';
const isIncomplete = `(t.user_id = '' OR t.item_id = '' OR t.ts = -1 OR t.event_type = '')`;

const mergedOf = (sent: string, instructions: string) =>
  merged(`coalesce(t.attributes, '{}')`, `coalesce(${sent}, '{}')`, instructions, 't.event_id');
const afterAttributes = `nullif(${mergedOf('excluded.attributes', '$4')}, '{}')`;

/** SQL: the bytes of an event that are left for its attributes. */
const maxAttributeBytes = (fields: {
  user_id: string;
  item_id: string;
  ts: string;
  event_type: string;
  event_value: string;
  recommendation_id: string;
}) =>
  `($5 - ${textBytes('t.event_id')} - ${textBytes(fields.user_id)} - ${textBytes(fields.item_id)}
    - octet_length((${fields.ts})::text) - ${textBytes(fields.event_type)} - octet_length((${fields.event_value})::text)
    - coalesce(${textBytes(fields.recommendation_id)} + ${',"recommendation_id":'.length}, 0))`;
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
  const columns = Object.entries({ ...after, recommendation_id: afterRecommendation });
  const statement = {
    name: `merge_${table}`,
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
          AND ${fitsBytes(mergedOf('excluded.attributes', '$4'), maxAttributeBytes({ ...after, recommendation_id: afterRecommendation }))}
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
  };
  const tooLarge: string[] = [];
  const incomplete: string[] = [];
  const slices = await cutIntoSlices(events, slice);
  await writeSlices(db, dataset, slices, async (some, slot) => {
    const rows = jsonArrayOf(some);
    const instructions = mergeInstructions(some as MergeRow[]);
    const [row] = await db.rows<Changed & { ids: string[]; incomplete: string[]; places: string[] }>(
      statement,
      [dataset.dataset_key, slot, rows, instructions, maxBytes - syntaxBytes],
    );
    if (!row) throw new Error('the merge returned no row');
    if (row.places.length > 0) await deleteAt(db, table, row.places);
    incomplete.push(...row.incomplete);
    const written = new Set(row.ids);
    const ids = some.map(({ id }) => id).filter((id) => !written.has(id));
    if (ids.length > 0)
      tooLarge.push(...(await listLarge(db, dataset, table, { rows, instructions, ids }, maxBytes)));
    return row;
  });
  return { tooLarge, incomplete };
}

/** Deletes rows that this transaction inserted: no other transaction sees or moves them. */
async function deleteAt(db: Queryable, table: string, ctids: readonly string[]): Promise<void> {
  const text = `DELETE FROM ${table} WHERE ctid = ANY ($1::tid[])`;
  await db.rows({ name: `delete_incomplete_${table}`, text }, [ctids]);
}

async function listLarge(
  db: Queryable,
  dataset: Dataset,
  table: string,
  sent: { rows: string; instructions: string; ids: readonly string[] },
  maxBytes: number,
): Promise<string[]> {
  const fields = {
    user_id: 'coalesce(r.u, t.user_id)',
    item_id: 'coalesce(r.i, t.item_id)',
    ts: 'coalesce(r.t, t.ts)',
    event_type: 'coalesce(r.y, t.event_type)',
    event_value: 'coalesce(r.v, t.event_value)',
    recommendation_id: 'coalesce(r.r, t.recommendation_id)',
  };
  const maxBytesSql = maxAttributeBytes(fields).replace('$5', String(maxBytes - syntaxBytes));
  const tooLargeQuery = {
    name: `list_too_large_${table}`,
    table,
    id: 'event_id',
    columns: 'u text, i text, t bigint, y text, v double precision, r text, a jsonb',
    fits: fitsBytes(mergedOf('r.a', '$3'), maxBytesSql),
  };
  return listTooLarge(db, dataset.dataset_key, tooLargeQuery, sent);
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
