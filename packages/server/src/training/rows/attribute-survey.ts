import { type DatasetRow, partitionTable } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';

export interface AttributeValuesRow {
  readonly name: string;
  /** Distinct values (array elements count one by one), and those that only one record has. */
  readonly values: number;
  readonly unshared: number;
}

/** The most names to return, those with the most unshared values first: records may have any number of names. */
const maxNames = 200;

/**
 * The attributes of users or items that are not numeric, and how many of their values are shared, among the first
 * `maxRecords` records by primary key.
 */
export async function listAttributeValues(
  db: Queryable,
  dataset: Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>,
  maxRecords: number,
): Promise<AttributeValuesRow[]> {
  const table = partitionTable(dataset);
  const statement = {
    name: `list_attribute_values_${table}`,
    text: `SELECT * FROM (SELECT name, count(*)::float8 AS values, (count(*) FILTER (WHERE bearers = 1))::float8 AS unshared
      FROM (SELECT attribute.key AS name, element, count(DISTINCT record.id) AS bearers
        FROM (SELECT ${dataset.kind}_id AS id, attributes FROM ${table} WHERE dataset_key = $1
          ORDER BY ${dataset.kind}_id LIMIT $2) record
        CROSS JOIN jsonb_each(record.attributes) attribute
        CROSS JOIN jsonb_array_elements(CASE jsonb_typeof(attribute.value)
          WHEN 'array' THEN attribute.value ELSE jsonb_build_array(attribute.value) END) element
        WHERE jsonb_typeof(element) NOT IN ('number', 'null')
        GROUP BY attribute.key, element) of_value
      GROUP BY name ORDER BY unshared DESC, name LIMIT ${maxNames}) of_name ORDER BY name`,
  };
  return db.rows(statement, [dataset.dataset_key, maxRecords]);
}
