import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable, Statement } from '../../kernel/postgres/pool.ts';
import type { Dataset } from './datasets.ts';
import { type Changed, jsonArrayOf, type RecordRow, writeSlices } from './write-slices.ts';

/** A record to merge into one that may exist: `json` has what to set, the other fields what JSON cannot express. */
export interface MergeRow extends RecordRow {
  /** Names of the attributes to remove. */
  readonly removed: readonly string[];
  /** Keeps the value of an existing event; a new event gets the default. */
  readonly keepsValue?: boolean;
}

/**
 * What to remove from or keep in existing records, as one JSON object by ID. It is passed beside the rows, because an
 * INSERT can only propose column values, and new records must not get these instructions.
 */
function mergeInstructions(slice: readonly MergeRow[]): string {
  const withInstructions = slice.filter(({ removed, keepsValue }) => removed.length > 0 || keepsValue);
  return JSON.stringify(
    Object.fromEntries(
      withInstructions.map(({ id, removed, keepsValue }) => [
        id,
        { removed, ...(keepsValue && { keepsValue }) },
      ]),
    ),
  );
}

/** Splits off the names of null attributes, which are to be removed. */
export function splitAttributes(attributes: Readonly<Record<string, unknown>> = {}): {
  set: Record<string, unknown>;
  removed: string[];
} {
  const entries = Object.entries(attributes);
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    removed: entries.filter(([, value]) => value === null).map(([name]) => name),
  };
}

/** SQL: `stored` merged with `sent`, without the attributes that the instructions for `id` remove. */
export const merged = (stored: string, sent: string, instructions: string, id: string) =>
  `((${stored} || ${sent}) - ARRAY(SELECT jsonb_array_elements_text(${instructions}::jsonb -> ${id} -> 'removed')))`;

/** SQL: bytes of `value` as compact JSON, without the spaces that PostgreSQL writes. Its numbers have no exponent. */
const compactBytes = (value: string) => `(octet_length(${value}::text) - (
  SELECT coalesce(sum(CASE jsonb_typeof(node)
    WHEN 'array' THEN greatest(jsonb_array_length(node) - 1, 0)
    WHEN 'object' THEN greatest(2 * (SELECT count(*) FROM jsonb_object_keys(
      CASE jsonb_typeof(node) WHEN 'object' THEN node ELSE '{}' END)) - 1, 0)
    ELSE 0 END), 0)
  FROM jsonb_path_query(${value}, 'strict $.**') node))`;

/** SQL: whether the attributes take at most `maxBytes`. Measures exactly only if a cheap check does not decide. */
export const fitsBytes = (value: string, maxBytes: string) =>
  `(octet_length(${value}::text) <= ${maxBytes} OR ${compactBytes(value)} <= ${maxBytes})`;

/** SQL: bytes of a text as a JSON string. */
export const textBytes = (column: string) => `octet_length(to_json(${column})::text)`;

/** What a merge returns: what it changed, and the IDs of the records that it wrote. */
export interface MergedSlice extends Changed {
  readonly ids: readonly string[];
}

/** SQL of a merge. */
interface Merge<Row extends MergedSlice> {
  readonly table: string;
  /** Its $1 is the dataset's key, $2 the slot, $3 the records as JSON and $4 the instructions. `more` follows. */
  readonly text: string;
  readonly more?: readonly unknown[];
  /** Which records are too large to be written. */
  readonly tooLarge: TooLarge;
  /** Called with the result of each slice. */
  readonly onWritten?: (row: Row) => Promise<void>;
}

/** Merges records, one statement per slice. Returns the IDs of those that would become too large and stay unchanged. */
export async function mergeRecords<Row extends MergedSlice>(
  db: Queryable,
  dataset: Dataset,
  records: readonly RecordRow[],
  slice: Slice | undefined,
  { table, text, more = [], tooLarge, onWritten }: Merge<Row>,
): Promise<string[]> {
  const tooLargeIds: string[] = [];
  await writeSlices(db, dataset, records, slice, async (some, slot) => {
    const sent = [jsonArrayOf(some), mergeInstructions(some as MergeRow[])];
    const [row] = await db.rows<Row>({ name: `merge_${table}`, text }, [
      dataset.dataset_key,
      slot,
      ...sent,
      ...more,
    ]);
    if (!row) throw new Error('the merge returned no row');
    await onWritten?.(row);
    const written = new Set(row.ids);
    const ids = some.map(({ id }) => id).filter((id) => !written.has(id));
    if (ids.length > 0)
      tooLargeIds.push(...(await listTooLarge(db, table, tooLarge, [dataset.dataset_key, ...sent, ids])));
    return row;
  });
  return tooLargeIds;
}

/** SQL of the records that a merge finds too large. */
interface TooLarge {
  /** Column of the ID; in the sent rows it is `r.id`. */
  readonly id: string;
  /** Columns of the sent rows, besides the ID. */
  readonly columns: string;
  /** Whether the merged record fits. */
  readonly fits: string;
}

/** The IDs whose merged record would be too large. One primary key lookup per ID (see listEventIds). */
async function listTooLarge(
  db: Queryable,
  table: string,
  { id, columns, fits }: TooLarge,
  values: readonly unknown[],
): Promise<string[]> {
  const statement: Statement = {
    name: `list_too_large_${table}`,
    text: `SELECT r.id FROM json_to_recordset($2::json) AS r(id text, ${columns}) CROSS JOIN LATERAL (
        SELECT * FROM ${table} WHERE dataset_key = $1 AND ${id} >= r.id ORDER BY ${id} LIMIT 1
      ) t WHERE r.id = ANY ($4) AND t.${id} = r.id AND NOT ${fits}`,
  };
  const rows = await db.rows<{ id: string }>(statement, values);
  return rows.map((row) => row.id);
}
