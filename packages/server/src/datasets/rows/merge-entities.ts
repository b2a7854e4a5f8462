import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { type DatasetRow, partitionTable } from './datasets.ts';
import { type EntityRow, idColumn, itemChangesClause } from './entities.ts';
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
  cutIntoSlices,
  jsonArrayOf,
  type RecordRow,
  unchanged,
  writeSlices,
} from './write-slices.ts';

type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

/**
 * Sets the given attributes of users or items, removes those that are null and keeps the others; inserts records that
 * do not exist. Returns the IDs of records that would exceed `maxBytes`; these stay unchanged. One statement per slice,
 * so that no concurrent merge of a record is lost. Locks and records changes as upsertEntities does.
 */
export async function mergeEntities(
  db: Queryable,
  dataset: Dataset,
  entities: readonly RecordRow[],
  maxBytes: number,
  slice?: Slice,
): Promise<string[]> {
  const table = partitionTable(dataset);
  const id = idColumn(dataset);
  // `{"user_id":…,"attributes":…}`
  const maxAttributeBytes = `${maxBytes - `{"${id}":,"attributes":}`.length} - ${textBytes(`t.${id}`)}`;
  const mergedOf = (sent: string, instructions: string) =>
    merged('t.attributes', `${sent}.attributes`, instructions, `t.${id}`);
  const after = mergedOf('excluded', '$4');
  const statement = {
    name: `merge_${table}`,
    text: `WITH written AS (
        INSERT INTO ${table} AS t (dataset_key, ${id}, attributes)
        SELECT $1, r.id, r.attributes FROM json_to_recordset($3::json) AS r(id text, attributes jsonb)
        ORDER BY r.id COLLATE "C"
        ON CONFLICT (dataset_key, ${id}) DO UPDATE SET attributes = ${after}
        WHERE t.attributes IS DISTINCT FROM ${after} AND ${fitsBytes(after, `(${maxAttributeBytes})`)}
        RETURNING t.${id} AS id, (xmax = 0) AS inserted
      ), ${itemChangesClause(dataset, 'written')}${addToCount(
        'SELECT count(*) FILTER (WHERE inserted) FROM written',
        ['ARRAY(SELECT id FROM written) AS ids'],
      )}`,
  };
  const tooLargeQuery = {
    name: `list_too_large_${table}`,
    table,
    id,
    columns: 'attributes jsonb',
    fits: fitsBytes(mergedOf('r', '$3'), `(${maxAttributeBytes})`),
  };
  const tooLarge: string[] = [];
  const slices = await cutIntoSlices(entities, slice);
  await writeSlices(db, dataset, slices, async (some, slot) => {
    const rows = jsonArrayOf(some);
    const instructions = mergeInstructions(some as MergeRow[]);
    const values = [dataset.dataset_key, slot, rows, instructions];
    const [row] = await db.rows<Changed & { ids: string[] }>(statement, values);
    const written = new Set(row?.ids);
    const ids = some.map((each) => each.id).filter((each) => !written.has(each));
    if (ids.length > 0)
      tooLarge.push(
        ...(await listTooLarge(db, dataset.dataset_key, tooLargeQuery, { rows, instructions, ids })),
      );
    return row ?? unchanged;
  });
  return tooLarge;
}

export function entityChangeRow({ id, attributes }: EntityRow): MergeRow {
  const { set, removed } = splitAttributes(attributes);
  return { id, removed, json: JSON.stringify({ id, attributes: set }) };
}
