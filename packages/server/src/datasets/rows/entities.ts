import type { Slice } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { type Dataset, idColumn, partitionTable, perPartition } from './datasets.ts';
import { itemChangesCte } from './item-changes.ts';
import { addToCount, pickCountSlot, type RecordRow, writeRows } from './write-slices.ts';

/** A user or an item: the developer's ID, and attributes. */
export interface EntityRow {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Only items have change records: no process mirrors users. */
export const itemChangesClause = (dataset: Dataset, written: string) =>
  dataset.kind === 'item' ? `${itemChangesCte(written)}, ` : '';

/** As upsertEvents, of users or items: returns how many are new. Also records which items changed. */
export async function upsertEntities(
  db: Queryable,
  dataset: Dataset,
  entities: readonly RecordRow[],
  slice?: Slice,
): Promise<number> {
  const table = partitionTable(dataset);
  const id = idColumn(dataset);
  const statement = {
    name: `upsert_${table}`,
    text: `WITH written AS (
        INSERT INTO ${table} AS t (dataset_key, ${id}, attributes)
        SELECT $1, r.id, r.attributes FROM json_to_recordset($3::json) AS r(id text, attributes jsonb)
        ORDER BY r.id COLLATE "C"
        ON CONFLICT (dataset_key, ${id}) DO UPDATE SET attributes = excluded.attributes
        WHERE t.attributes IS DISTINCT FROM excluded.attributes
        RETURNING t.${id} AS id, (xmax = 0) AS inserted
      ), ${itemChangesClause(dataset, 'written')}${addToCount('SELECT count(*) FILTER (WHERE inserted) FROM written')}`,
  };
  return writeRows(db, dataset, entities, slice, statement);
}

export function entityRow({ id, attributes }: EntityRow): RecordRow {
  return { id, json: JSON.stringify({ id, attributes }) };
}

/** The IDs that have a record. By primary key. */
export const listEntityIds = perPartition<[ids: readonly string[]], { id: string }>(
  'list_ids',
  (table, id) => `SELECT ${id} AS id FROM ${table} WHERE dataset_key = $1 AND ${id} = ANY ($2)`,
);

/** By primary key, locking in ID order. Returns the IDs that existed. Updates the count and the list of changed items. */
export async function deleteEntities(
  db: Queryable,
  dataset: Dataset,
  ids: readonly string[],
): Promise<string[]> {
  const table = partitionTable(dataset);
  const id = idColumn(dataset);
  const statement = {
    name: `delete_${table}`,
    text: `WITH locked AS MATERIALIZED (
        SELECT t.${id} AS id FROM ${table} t WHERE t.dataset_key = $1 AND t.${id} = ANY ($3)
        ORDER BY t.${id} FOR UPDATE
      ), deleted AS (
        DELETE FROM ${table} t WHERE t.dataset_key = $1 AND t.${id} = ANY (ARRAY(SELECT id FROM locked))
        RETURNING t.${id} AS id
      ), ${itemChangesClause(dataset, 'deleted')}${addToCount('SELECT -count(*) FROM deleted', ['ARRAY(SELECT id FROM deleted) AS ids'])}`,
  };
  const [row] = await db.rows<{ ids: string[] }>(statement, [dataset.dataset_key, pickCountSlot(), ids]);
  return row?.ids ?? [];
}
