import { limits, type Response, type WebhookEvent } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs, newestFirst } from '../../kernel/postgres/sql-fragments.ts';
import { count, many, none, one, only, some, statement, values } from '../../kernel/postgres/statement.ts';

type Webhook = Response<'getWebhook'>;

export interface WebhookRow extends Omit<Webhook, 'secret'> {
  readonly webhook_key: number;
}

/** Without the secret, so that it cannot get into a response or the log. */
const columns = `w.webhook_key, w.webhook_id, w.url, w.events, w.enabled, w.disabled_reason,
  ${epochMs('w.created_at')} AS created_ts, ${epochMs('w.last_delivered_at')} AS last_delivered_ts, w.last_failure,
  (SELECT count(*)::int FROM webhook_messages m WHERE m.webhook_key = w.webhook_key) AS pending`;

export const countWebhooks = count<[accountId: string]>(
  'count_webhooks',
  'SELECT count(*)::int AS count FROM webhooks WHERE account_id = $1',
);

export const insertWebhook = only<
  [
    accountId: string,
    webhook: Pick<WebhookRow, 'webhook_id' | 'url' | 'events'> & { readonly secret: Uint8Array },
  ],
  WebhookRow
>(
  'insert_webhook',
  `WITH w AS (
      INSERT INTO webhooks (webhook_id, account_id, url, events, secret) VALUES ($2, $1, $3, $4, $5) RETURNING *
    ) SELECT ${columns} FROM w`,
  (accountId, { webhook_id, url, events, secret }) => [accountId, webhook_id, url, events, secret],
);

/** Uses the unique index on webhook_id, then checks the account. */
export const findWebhook = one<[accountId: string, webhookId: string], WebhookRow>(
  'find_webhook',
  `SELECT ${columns} FROM webhooks w WHERE w.webhook_id = $2 AND w.account_id = $1`,
);

/** Uses webhooks_by_account. */
export const listWebhookRows = newestFirst<[accountId: string], WebhookRow>(
  'list_webhooks',
  'w.webhook_key',
  `SELECT ${columns} FROM webhooks w WHERE w.account_id = $4`,
);

interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly enabled?: boolean | undefined;
  /** The current secret becomes the previous one, for some hours. */
  readonly secret?: Uint8Array | undefined;
}

const updateStatement = statement(
  'update_webhook',
  `WITH w AS (
      UPDATE webhooks w SET url = coalesce($3::text, url), events = coalesce($4::text[], events), enabled = coalesce($5::boolean, enabled),
        disabled_reason = CASE WHEN $5 IS NULL THEN disabled_reason END,
        failing_since = CASE WHEN $5 IS NULL AND $3 IS NULL THEN failing_since END,
        last_failure = CASE WHEN $5 IS NULL AND $3 IS NULL THEN last_failure END,
        previous_secret = CASE WHEN $6::bytea IS NULL THEN previous_secret ELSE secret END,
        previous_until = CASE WHEN $6 IS NULL THEN previous_until
          ELSE clock_timestamp() + $7::float8 * interval '1 hour' END,
        secret = coalesce($6::bytea, secret)
      WHERE w.webhook_id = $2 AND w.account_id = $1 RETURNING *
    ) SELECT ${columns} FROM w`,
);

const dropStatement = statement(
  'delete_webhook_messages',
  `DELETE FROM webhook_messages m USING webhooks w
    WHERE m.webhook_key = w.webhook_key AND w.webhook_id = $2 AND w.account_id = $1`,
);

/** Of a webhook that is disabled: its messages are dropped. Call it in a transaction. */
export async function updateWebhookRow(
  tx: Queryable,
  accountId: string,
  webhookId: string,
  { url, events, enabled, secret }: WebhookChange,
  overlapHours: number,
): Promise<WebhookRow | undefined> {
  if (enabled === false) await tx.rows(dropStatement, [accountId, webhookId]);
  const [row] = await tx.rows<WebhookRow>(updateStatement, [
    accountId,
    webhookId,
    url ?? null,
    events ?? null,
    enabled ?? null,
    secret ?? null,
    overlapHours,
  ]);
  return row;
}

/** Returns the deleted webhook. Its messages are deleted with it. */
export const deleteWebhookRow = one<[accountId: string, webhookId: string], WebhookRow>(
  'delete_webhook',
  `WITH found AS MATERIALIZED (
      SELECT ${columns} FROM webhooks w WHERE w.webhook_id = $2 AND w.account_id = $1
    ), deleted AS (DELETE FROM webhooks w USING found WHERE w.webhook_key = found.webhook_key RETURNING w.webhook_key)
    SELECT found.* FROM found JOIN deleted USING (webhook_key)`,
);

interface FullDataset {
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
