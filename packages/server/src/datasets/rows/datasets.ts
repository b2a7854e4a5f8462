import { createHash } from 'node:crypto';
import type { AttributeKind, DatasetKind } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { newestFirst } from '../../kernel/postgres/sql-fragments.ts';
import { count, one, only } from '../../kernel/postgres/statement.ts';
import { countSlots } from './write-slices.ts';

export interface DatasetRow {
  readonly dataset_key: number;
  readonly dataset_id: string;
  readonly kind: DatasetKind;
  readonly name: string;
  readonly num_shards: number;
  readonly attribute_schema: Record<string, AttributeKind> | null;
  /** Only of event datasets. Null: events are kept. */
  readonly retention_days: number | null;
  readonly partition: number;
  readonly record_count: number;
}

/** What statements on the records of a dataset need. */
export type Dataset = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

/** The table of each kind's records, and its number of partitions (see migration 0002). */
const recordTables = {
  event: { table: 'events', partitions: 64 },
  user: { table: 'users', partitions: 16 },
  item: { table: 'items', partitions: 16 },
} as const satisfies Record<DatasetKind, { table: string; partitions: number }>;

/** The partition of a dataset. Statements name it, so that PostgreSQL does not route, prune and lock 64 tables for one row. */
export function partitionTable(dataset: Pick<DatasetRow, 'kind' | 'partition'>): string {
  return `${recordTables[dataset.kind].table}_p${String(dataset.partition).padStart(2, '0')}`;
}

/** The column of a record's ID. */
export const idColumn = ({ kind }: Pick<DatasetRow, 'kind'>) => `${kind}_id` as const;

/**
 * A function that runs a statement on a dataset's partition, prepared per partition. `text` gets the table and the column of its IDs. $1 is
 * the dataset's key; the arguments of the function follow, or what `bind` makes of them.
 */
export const perPartition =
  <Args extends readonly unknown[], Row>(
    name: string,
    text: (table: string, id: string) => string,
    bind: (...args: Args) => readonly unknown[] = (...args) => args,
  ) =>
  async (db: Queryable, dataset: Dataset, ...args: Args): Promise<Row[]> => {
    const table = partitionTable(dataset);
    const statement = { name: `${name}_${table}`, text: text(table, idColumn(dataset)) };
    return db.rows<Row>(statement, [dataset.dataset_key, ...bind(...args)]);
  };

/**
 * The advisory lock of a dataset. Writers of records share it; deleting the dataset, and writing close to its ceiling,
 * take it exclusively. A row lock would cost a write to the row per call. The account is part of the key, so that no
 * account can block another's dataset.
 */
export function datasetLockKey(accountId: string, datasetId: string): bigint {
  return createHash('sha256').update(`${accountId}\n${datasetId}`).digest().readBigInt64BE();
}

const columns = `d.dataset_key, d.dataset_id, d.kind, d.name, d.num_shards, d.attribute_schema, d.retention_days, d.partition,
  (SELECT coalesce(sum(c.record_count), 0)::float8 FROM dataset_counts c WHERE c.dataset_key = d.dataset_key)
    AS record_count`;

/** SQL: when workers apply a new retention. */
const dueAtOnce = (days: string) => `CASE WHEN ${days} IS NOT NULL THEN clock_timestamp() END`;

export const insertDataset = only<
  [
    accountId: string,
    dataset: Pick<
      DatasetRow,
      'dataset_id' | 'kind' | 'name' | 'num_shards' | 'attribute_schema' | 'retention_days'
    >,
  ],
  DatasetRow
>(
  'insert_dataset',
  `WITH inserted AS (
      INSERT INTO datasets (dataset_key, dataset_id, account_id, kind, name, num_shards, attribute_schema, partition, retention_days,
        retention_due_at)
      OVERRIDING SYSTEM VALUE
      SELECT k.key, $1, $2, $3, $4, $5, $6, (
        SELECT remainder FROM generate_series(0, $8 - 1) remainder
        WHERE satisfies_hash_partition($7::regclass, $8, remainder, k.key)), $9::int, ${dueAtOnce('$9::int')}
      FROM (SELECT nextval(pg_get_serial_sequence('datasets', 'dataset_key'))::int AS key) k
      RETURNING *
    ), counts AS (
      INSERT INTO dataset_counts (dataset_key, slot)
      SELECT dataset_key, slot FROM inserted, generate_series(0, ${countSlots - 1}) slot
    )
    SELECT ${columns} FROM inserted d`,
  (accountId, dataset) => [
    dataset.dataset_id,
    accountId,
    dataset.kind,
    dataset.name,
    dataset.num_shards,
    dataset.attribute_schema,
    recordTables[dataset.kind].table,
    recordTables[dataset.kind].partitions,
    dataset.retention_days,
  ],
);

/** Uses the unique index on dataset_id, then checks the account: another account's dataset is not found. */
export const findDataset = one<[accountId: string, kind: DatasetKind, datasetId: string], DatasetRow>(
  'find_dataset',
  `SELECT ${columns} FROM datasets d
    WHERE d.dataset_id = $3 AND d.account_id = $1 AND d.kind = $2 AND d.deleted_at IS NULL`,
);

/** Uses datasets_by_account. */
export const listDatasets = newestFirst<[accountId: string, kind: DatasetKind], DatasetRow>(
  'list_datasets',
  'd.dataset_key',
  `SELECT ${columns} FROM datasets d WHERE d.account_id = $4 AND d.kind = $5 AND d.deleted_at IS NULL`,
);

/** Undefined fields stay unchanged. A new retention is due at once. `numShards` never decreases, even with concurrent updates. */
export const updateDataset = one<
  [
    accountId: string,
    kind: DatasetKind,
    datasetId: string,
    change: {
      name: string | undefined;
      numShards: number | undefined;
      attributeSchema: DatasetRow['attribute_schema'] | undefined;
      retentionDays: DatasetRow['retention_days'] | undefined;
    },
  ],
  DatasetRow
>(
  'update_dataset',
  `UPDATE datasets d SET name = coalesce($4, d.name), num_shards = greatest(d.num_shards, $7),
      attribute_schema = CASE WHEN $5 THEN $6::jsonb ELSE d.attribute_schema END,
      retention_days = CASE WHEN $8 THEN $9::int ELSE d.retention_days END,
      retention_due_at = CASE WHEN $8 THEN ${dueAtOnce('$9::int')} ELSE d.retention_due_at END,
      retention_from_ts = CASE WHEN $8 THEN NULL ELSE d.retention_from_ts END
    WHERE d.dataset_id = $1 AND d.account_id = $2 AND d.kind = $3 AND d.deleted_at IS NULL
    RETURNING ${columns}`,
  (accountId, kind, datasetId, change) => [
    datasetId,
    accountId,
    kind,
    change.name ?? null,
    change.attributeSchema !== undefined,
    change.attributeSchema ?? null,
    change.numShards ?? null,
    change.retentionDays !== undefined,
    change.retentionDays ?? null,
  ],
);

/** The dataset is invisible from the commit on. The caller holds its lock exclusively, so no write is in progress. */
export const markDatasetDeleted = one<[accountId: string, kind: DatasetKind, datasetId: string], DatasetRow>(
  'mark_dataset_deleted',
  `UPDATE datasets d SET deleted_at = now()
    WHERE d.dataset_id = $3 AND d.account_id = $1 AND d.kind = $2 AND d.deleted_at IS NULL
    RETURNING ${columns}`,
);

/** An upper bound for concurrent transactions in this PostgreSQL. */
export const findConnectionLimit = count<[]>(
  'find_connection_limit',
  `SELECT current_setting('max_connections')::int AS max_connections`,
);

/** How many transactions hold it now. Reads PostgreSQL's in-memory lock table, which has a few entries per connection. */
export const countLockHolders = count<[key: bigint]>(
  'count_lock_holders',
  `SELECT count(*)::int AS holders FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid = (($1::bigint >> 32) & 4294967295)::oid AND objid = ($1::bigint & 4294967295)::oid`,
);

/**
 * Where a dataset's records are stored. The key comes from a sequence: after a restore from a backup, another dataset
 * may get a key that this process still remembers. The ID tells them apart.
 */
export interface DatasetLocation {
  readonly id: string;
  readonly key: number;
  readonly partition: number;
  /** The table of the partition. */
  readonly table: string;
}

/** SQL: whether the key still belongs to the dataset with this ID. One primary key lookup per statement. */
export const isSameDataset = (key: string, id: string) =>
  `EXISTS (SELECT FROM datasets same WHERE same.dataset_key = ${key} AND same.dataset_id = ${id})`;
