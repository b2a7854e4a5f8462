import { limits } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';

export interface FullDataset {
  readonly account_id: string;
  readonly dataset_id: string;
  readonly kind: string;
  readonly name: string;
  readonly record_count: number;
  readonly capacity: number;
}

const datasetsStatement: Statement = {
  name: 'list_datasets_of_webhooks',
  text: `SELECT d.account_id, d.dataset_id, d.kind, d.name, c.record_count,
      d.num_shards::float8 * ${limits.recordsPerShard} AS capacity
    FROM datasets d, LATERAL (SELECT coalesce(sum(record_count), 0)::float8 AS record_count FROM dataset_counts c
      WHERE c.dataset_key = d.dataset_key) c
    WHERE d.account_id = $1 AND d.deleted_at IS NULL`,
};

/** How full the account's datasets are. Sums 16 rows each. */
export async function listDatasetUse(db: Queryable, accountId: string): Promise<FullDataset[]> {
  return db.rows(datasetsStatement, [accountId]);
}

const accountsStatement: Statement = {
  name: 'list_accounts_with_webhooks',
  text: `SELECT account_id FROM webhooks WHERE account_id > $1 AND enabled
      AND events && ARRAY['dataset.nearly_full', 'quota.near']
    GROUP BY account_id ORDER BY account_id LIMIT $2`,
};

/** The next accounts that want to be told about limits. Uses webhooks_by_account. */
export async function listAccountsToTell(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.rows<{ account_id: string }>(accountsStatement, [after, limit]);
  return rows.map(({ account_id }) => account_id);
}

const insertStatement: Statement = {
  name: 'insert_notice',
  text: 'INSERT INTO notices (account_id, notice) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING notice',
};

/** False if the account was told before. */
export async function insertNotice(tx: Queryable, accountId: string, notice: string): Promise<boolean> {
  return (await tx.rows(insertStatement, [accountId, notice])).length > 0;
}

const deleteStatement: Statement = {
  name: 'delete_notices',
  text: 'DELETE FROM notices WHERE account_id = $1 AND notice = ANY($2::text[])',
};

/** The account is told again when it comes near the limit the next time. */
export async function deleteNotices(
  tx: Queryable,
  accountId: string,
  notices: readonly string[],
): Promise<void> {
  await tx.rows(deleteStatement, [accountId, notices]);
}
