import type { Queryable } from '../../kernel/postgres/pool.ts';
import { statement } from '../../kernel/postgres/statement.ts';
import { type DatasetRow, partitionTable } from './datasets.ts';
import { idColumn } from './entities.ts';
import type { StoredEntity } from './record-reads.ts';

type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition' | 'record_count'>;

/** The IDs of so many records are read in a few milliseconds, and drawn from exactly. */
const maxExact = 10_000;
/** Pages of a larger dataset's table that are read until the sample is complete: half a megabyte, then 16 MB. */
const pageTargets = [64, 2048] as const;

/**
 * Users or items at random, in random order. Of a large dataset, rows of random pages of its table, which other datasets may share:
 * each row has about the same chance, and the cost does not grow with the dataset. May return fewer than `count`.
 */
export async function sampleEntities(
  db: Queryable,
  dataset: Dataset,
  count: number,
): Promise<readonly StoredEntity[]> {
  if (dataset.record_count <= maxExact) return sampleExactly(db, dataset, count);
  const table = partitionTable(dataset);
  const [size] = await db.rows<{ pages: number }>(pagesStatement, [table]);
  const column = idColumn(dataset);
  let found: readonly StoredEntity[] = [];
  for (const pages of pageTargets) {
    const percent = Math.min(100, (100 * pages) / Math.max(1, size?.pages ?? 1));
    found = await db.rows<StoredEntity>(
      {
        name: `sample_${table}`,
        text: `SELECT t.${column} AS id, t.attributes::text FROM ${table} t TABLESAMPLE SYSTEM ($2)
          WHERE t.dataset_key = $1 ORDER BY random() LIMIT $3`,
      },
      [dataset.dataset_key, percent, count],
    );
    if (found.length === count) break;
  }
  return found;
}

const pagesStatement = statement(
  'read_table_pages',
  `SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::int)::float8 AS pages`,
);

/** Scans the dataset's IDs by primary key. */
async function sampleExactly(db: Queryable, dataset: Dataset, count: number): Promise<StoredEntity[]> {
  const table = partitionTable(dataset);
  const column = idColumn(dataset);
  return db.rows<StoredEntity>(
    {
      name: `sample_all_${table}`,
      text: `SELECT t.${column} AS id, t.attributes::text FROM (
          SELECT ${column} FROM ${table} WHERE dataset_key = $1 ORDER BY random() LIMIT $2) drawn
        JOIN ${table} t ON t.dataset_key = $1 AND t.${column} = drawn.${column}`,
    },
    [dataset.dataset_key, count],
  );
}
