import { type DatasetRow, partitionTable } from './datasets.ts';
import { addToItemChanges } from './item-changes.ts';
import type { Queryable } from './pool.ts';
import { addToCount, pickCountSlot } from './record-counts.ts';

/** A user or an item: an id of the developer's, and attributes. */
export interface EntityRow {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

const idColumn = (dataset: Dataset) => (dataset.kind === 'user' ? 'user_id' : 'item_id');

/** Nobody keeps a copy of users. */
const noteChanges = (dataset: Dataset, written: string) =>
  dataset.kind === 'item' ? `${addToItemChanges(written)}, ` : '';

/**
 * Inserts or replaces users or items; returns how many are new, which it has added to the dataset's count.
 * Locks in the order of ids, and leaves alone what is there already, exactly so: see upsertEvents. Notes which items
 * have changed.
 */
export async function upsertEntities(
  db: Queryable,
  dataset: Dataset,
  entities: readonly EntityRow[],
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
      ), ${noteChanges(dataset, 'written')}${addToCount('SELECT count(*) FILTER (WHERE inserted) FROM written')}`,
  };
  const [row] = await db.rows<{ changed: number }>(statement, [
    dataset.dataset_key,
    pickCountSlot(),
    JSON.stringify(entities),
  ]);
  return row?.changed ?? 0;
}

/** Which of the ids have a record. By primary key. */
export async function listEntityIds(
  db: Queryable,
  dataset: Dataset,
  ids: readonly string[],
): Promise<string[]> {
  const table = partitionTable(dataset);
  const id = idColumn(dataset);
  const rows = await db.rows<{ id: string }>(
    {
      name: `list_ids_${table}`,
      text: `SELECT ${id} AS id FROM ${table} WHERE dataset_key = $1 AND ${id} = ANY ($2)`,
    },
    [dataset.dataset_key, ids],
  );
  return rows.map((row) => row.id);
}

/**
 * Deletes by primary key, locking in the order of ids; returns those that were there, and takes them off the count. Notes
 * which items are gone.
 */
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
      ), ${noteChanges(dataset, 'deleted')}${addToCount('SELECT -count(*) FROM deleted', ['ARRAY(SELECT id FROM deleted) AS ids'])}`,
  };
  const [row] = await db.rows<{ ids: string[] }>(statement, [dataset.dataset_key, pickCountSlot(), ids]);
  return row?.ids ?? [];
}
