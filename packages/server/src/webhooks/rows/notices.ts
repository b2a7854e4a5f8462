import { limits } from '@tastegraph/contract';
import { many, none, some, values } from '../../kernel/postgres/statement.ts';

export interface FullDataset {
  readonly account_id: string;
  readonly dataset_id: string;
  readonly kind: string;
  readonly name: string;
  readonly record_count: number;
  readonly capacity: number;
}

/** How full the account's datasets are. Sums 16 rows each. */
export const listDatasetUse = many<[accountId: string], FullDataset>(
  'list_datasets_of_webhooks',
  `SELECT d.account_id, d.dataset_id, d.kind, d.name, c.record_count,
      d.num_shards::float8 * ${limits.recordsPerShard} AS capacity
    FROM datasets d, LATERAL (SELECT coalesce(sum(record_count), 0)::float8 AS record_count FROM dataset_counts c
      WHERE c.dataset_key = d.dataset_key) c
    WHERE d.account_id = $1 AND d.deleted_at IS NULL`,
);

/** The next accounts that want to be told about limits. Uses webhooks_by_account. */
export const listAccountsToTell = values<[after: string, limit: number], string>(
  'list_accounts_with_webhooks',
  `SELECT account_id FROM webhooks WHERE account_id > $1 AND enabled
      AND events && ARRAY['dataset.nearly_full', 'quota.near']
    GROUP BY account_id ORDER BY account_id LIMIT $2`,
);

/** False if the account was told before. */
export const insertNotice = some<[accountId: string, notice: string]>(
  'insert_notice',
  'INSERT INTO notices (account_id, notice) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING notice',
);

/** The account is told again when it comes near the limit the next time. */
export const deleteNotices = none<[accountId: string, notices: readonly string[]]>(
  'delete_notices',
  'DELETE FROM notices WHERE account_id = $1 AND notice = ANY($2::text[])',
);
