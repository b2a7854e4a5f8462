import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { type Dataset, idColumn, partitionTable } from './datasets.ts';
import { type EntityRow, itemChangesClause } from './entities.ts';
import {
  fitsBytes,
  type MergeRow,
  merged,
  mergeRecords,
  splitAttributes,
  textBytes,
} from './merge-records.ts';
import { addToCount, type RecordRow } from './write-slices.ts';

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
  return mergeRecords(db, dataset, entities, slice, {
    table,
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
    tooLarge: {
      id,
      columns: 'attributes jsonb',
      fits: fitsBytes(mergedOf('r', '$3'), `(${maxAttributeBytes})`),
    },
  });
}

export function entityChangeRow({ id, attributes }: EntityRow): MergeRow {
  const { set, removed } = splitAttributes(attributes);
  return { id, removed, json: JSON.stringify({ id, attributes: set }) };
}
