import type { AccountContents } from '../accounts/contents.ts';
import { one, only } from '../kernel/postgres/statement.ts';
import { type DatasetRow, datasetLockKey, markDatasetDeleted } from './rows/datasets.ts';

const countDatasets = only<[accountId: string], { datasets: number; records: number }>(
  'count_datasets_of_account',
  `SELECT (SELECT count(*) FROM datasets d WHERE d.account_id = $1)::int AS datasets,
      (SELECT coalesce(sum(c.record_count), 0) FROM datasets d JOIN dataset_counts c USING (dataset_key)
        WHERE d.account_id = $1)::float8 AS records`,
);

interface AnyDataset extends Pick<DatasetRow, 'dataset_id' | 'kind'> {
  /** Workers are purging its records. */
  readonly is_deleted: boolean;
}

/** Prefers a dataset that is not deleted. */
const findAnyDataset = one<[accountId: string], AnyDataset>(
  'find_dataset_of_deleted_account',
  `SELECT dataset_id, kind, deleted_at IS NOT NULL AS is_deleted FROM datasets WHERE account_id = $1
    ORDER BY deleted_at IS NOT NULL, dataset_key LIMIT 1`,
);

export const account: AccountContents = {
  count: countDatasets,
  async remove(tx, accountId) {
    const dataset = await findAnyDataset(tx, accountId);
    if (!dataset) return undefined;
    if (dataset.is_deleted) return 'waits';
    await tx.lock(datasetLockKey(accountId, dataset.dataset_id), 'exclusive');
    const marked = await markDatasetDeleted(tx, accountId, dataset.kind, dataset.dataset_id);
    return { datasets: marked ? 1 : 0, records: marked?.record_count ?? 0 };
  },
};
