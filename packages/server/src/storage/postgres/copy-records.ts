import type { DatasetKind } from '@tastegraph/contract';
import type pg from 'pg';
import { findOldestTransaction } from './account-moves.ts';
import { inSession, listColumns, quote, reserveKeys, transferRows } from './copy-session.ts';
import { partitionTable } from './datasets.ts';
import { newPartition, recordTables } from './moved-tables.ts';

interface MovedDataset {
  readonly dataset_id: string;
  readonly kind: DatasetKind;
  readonly old_key: number;
  readonly old_partition: number;
  readonly new_key: number;
  readonly new_partition: number;
}

/** What a round of the copy has seen. */
export interface CopiedRecords {
  readonly datasets: readonly MovedDataset[];
  /** The ID of the oldest transaction whose changes the round may not have seen. */
  readonly seenUntil: bigint;
  /** How many records the account has. */
  readonly records: number;
}

/**
 * Copies the records of an account as the transaction of `source` sees them, straight from the partition of each dataset to the one of its
 * new number, which is reserved for it. After an `earlier` round, only what has changed since. All rounds need the same `source` session:
 * a server that replaced a failed one may use the numbers of lost transactions again.
 */
export async function copyRecords(
  source: pg.Client,
  target: pg.Client,
  accountId: string,
  onProgress: (text: string) => void,
  earlier?: CopiedRecords,
): Promise<CopiedRecords> {
  const seenUntil = await findOldestTransaction(inSession(source));
  const datasets = await reserveDatasets(source, target, accountId);
  const before = new Map(earlier?.datasets.map((dataset) => [dataset.old_key, dataset]));
  const columnsOf = new Map<string, string[]>();
  for (const table of recordTables) columnsOf.set(table, await listRecordColumns(source, target, table));
  let records = 0;
  for (const dataset of datasets) {
    const columns = columnsOf.get(`${dataset.kind}s`) ?? [];
    const isKnown = before.delete(dataset.old_key);
    const count =
      earlier && isKnown
        ? await copyChanges(source, target, dataset, columns, earlier.seenUntil)
        : await copyAll(source, target, dataset, columns);
    records += isKnown ? await deleteRemoved(source, target, dataset) : count;
    if (count > 0 || !isKnown) onProgress(`Copied ${count} records of ${dataset.dataset_id}.`);
  }
  // They were deleted between the rounds.
  for (const dataset of before.values())
    await target.query(`DELETE FROM ${partitionThere(dataset)} WHERE dataset_key = ${dataset.new_key}`);
  return { datasets, seenUntil, records };
}

async function reserveDatasets(
  source: pg.Client,
  target: pg.Client,
  accountId: string,
): Promise<MovedDataset[]> {
  const { rows: here } = await source.query<Omit<MovedDataset, 'new_key' | 'new_partition'>>(
    `SELECT dataset_id, kind, dataset_key AS old_key, partition AS old_partition FROM datasets
      WHERE account_id = $1 AND deleted_at IS NULL ORDER BY dataset_key`,
    [accountId],
  );
  const old = here.map(({ old_key }) => old_key);
  await reserveKeys(target, 'datasets', 'dataset_key', 'SELECT unnest($1::bigint[]) AS old', [old]);
  const { rows: there } = await target.query<Pick<MovedDataset, 'new_key' | 'new_partition'>>(
    `SELECT k.new::int AS new_key, ${newPartition} AS new_partition
      FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS s (old, kind, n) JOIN keys_datasets k USING (old) ORDER BY s.n`,
    [old, here.map(({ kind }) => kind)],
  );
  return here.map((dataset, n) => {
    const place = there[n];
    if (!place) throw new Error(`no number is reserved for ${dataset.dataset_id}`);
    return { ...dataset, ...place };
  });
}

async function listRecordColumns(source: pg.Client, target: pg.Client, table: string): Promise<string[]> {
  const columns = await listColumns(source, target, table);
  return columns.filter((column) => column !== 'dataset_key').map(quote);
}

const partitionHere = ({ kind, old_partition }: MovedDataset) =>
  partitionTable({ kind, partition: old_partition });
const partitionThere = ({ kind, new_partition }: MovedDataset) =>
  partitionTable({ kind, partition: new_partition });

function copyAll(
  source: pg.Client,
  target: pg.Client,
  dataset: MovedDataset,
  columns: readonly string[],
): Promise<number> {
  const { kind, old_key, new_key } = dataset;
  const names = columns.join(', ');
  return transferRows(
    source,
    target,
    `SELECT ${new_key}, ${names} FROM ${partitionHere(dataset)} WHERE dataset_key = ${old_key} ORDER BY ${kind}_id`,
    `${partitionThere(dataset)} (dataset_key, ${names})`,
  );
}

/**
 * Upserts records whose row is not older than transaction `since`: one scan of the dataset. `age` compares the last 32 bits of numbers, which
 * `xmin` keeps when a row is frozen. A row that is 2^31 transactions old seems new, and is copied again, without harm; one that a very old
 * PostgreSQL froze has `xmin` 2, which counts as the oldest. No new row seems old: the transaction of the round before reads until this one
 * begins, and meanwhile PostgreSQL would rather stop than assign 2^31 numbers.
 */
async function copyChanges(
  source: pg.Client,
  target: pg.Client,
  dataset: MovedDataset,
  columns: readonly string[],
  since: bigint,
): Promise<number> {
  const { kind, old_key, new_key } = dataset;
  const names = columns.join(', ');
  const changed = `changed_${kind}s`;
  await target.query(`CREATE TEMP TABLE IF NOT EXISTS ${changed} (LIKE ${kind}s) ON COMMIT DROP`);
  const count = await transferRows(
    source,
    target,
    `SELECT ${new_key}, ${names} FROM ${partitionHere(dataset)}
      WHERE dataset_key = ${old_key} AND age(xmin) <= (SELECT age('${since}'::xid8::xid))`,
    `${changed} (dataset_key, ${names})`,
  );
  if (count === 0) return 0;
  await target.query(
    `INSERT INTO ${partitionThere(dataset)} (dataset_key, ${names}) SELECT dataset_key, ${names} FROM ${changed} ORDER BY ${kind}_id
      ON CONFLICT (dataset_key, ${kind}_id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  await target.query(`TRUNCATE ${changed}`);
  return count;
}

/**
 * Deletes records of the target that the transaction of `source` no longer sees. The target lacks none when all changes are copied, so both
 * have the same records if both have the same number of them. Returns that number.
 */
async function deleteRemoved(source: pg.Client, target: pg.Client, dataset: MovedDataset): Promise<number> {
  const [here, there] = await Promise.all([
    countRecords(source, partitionHere(dataset), dataset.old_key),
    countRecords(target, partitionThere(dataset), dataset.new_key),
  ]);
  if (here === there) return here;
  const left = there - (await deleteByParts(source, target, dataset));
  if (left !== here)
    throw new Error(`the copy of ${dataset.dataset_id} has ${left} records instead of ${here}`);
  return here;
}

/** Enough that a few deleted records leave nearly all parts unchanged, and few enough to count in memory. */
const idParts = 65_536;

/** Compares the IDs of only those parts of the dataset, by the hash of the ID, that have different numbers of records. */
async function deleteByParts(source: pg.Client, target: pg.Client, dataset: MovedDataset): Promise<number> {
  const id = `${dataset.kind}_id`;
  const part = `(hashtext(${id}) & ${idParts - 1})`;
  const here = `FROM ${partitionHere(dataset)} WHERE dataset_key = ${dataset.old_key}`;
  const there = `FROM ${partitionThere(dataset)} t WHERE dataset_key = ${dataset.new_key}`;
  await target.query(
    `CREATE TEMP TABLE kept_parts (part int, records bigint) ON COMMIT DROP;
      CREATE TEMP TABLE kept_ids (id text COLLATE "C") ON COMMIT DROP`,
  );
  // Statistics of the target do not know the new dataset, so PostgreSQL would expect one row, and compare each with all that are kept.
  await target.query('SET LOCAL enable_nestloop = off');
  await transferRows(source, target, `SELECT ${part}, count(*) ${here} GROUP BY 1`, 'kept_parts');
  const { rows } = await target.query<{ parts: string }>(
    `SELECT coalesce(array_agg(part), '{}')::text AS parts FROM (SELECT ${part} AS part, count(*) AS records ${there} GROUP BY 1) t
      LEFT JOIN kept_parts k USING (part) WHERE t.records IS DISTINCT FROM k.records`,
  );
  const isChanged = `${part} = ANY ('${rows[0]?.parts ?? '{}'}'::int[])`;
  await transferRows(source, target, `SELECT ${id} ${here} AND ${isChanged}`, 'kept_ids');
  // Autovacuum does not analyze temporary tables.
  await target.query('ANALYZE kept_ids');
  const { rowCount } = await target.query(
    `DELETE ${there} AND ${isChanged} AND NOT EXISTS (SELECT FROM kept_ids k WHERE k.id = t.${id})`,
  );
  await target.query('SET LOCAL enable_nestloop TO DEFAULT; DROP TABLE kept_parts, kept_ids');
  return rowCount ?? 0;
}

async function countRecords(session: pg.Client, partition: string, datasetKey: number): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM ${partition} WHERE dataset_key = ${datasetKey}`,
  );
  return rows[0]?.count ?? 0;
}
