import type { WebhookEvent } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';
import { boundedRows, epochMs, type PageBounds, type PageRow } from './sql-fragments.ts';

export interface WebhookFailure {
  readonly ts: number;
  readonly code: string;
  readonly message: string;
}

export interface WebhookRow {
  readonly webhook_key: number;
  readonly webhook_id: string;
  readonly url: string;
  readonly events: WebhookEvent[];
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly created_ts: number;
  readonly last_delivered_ts: number | null;
  readonly last_failure: WebhookFailure | null;
  readonly pending: number;
}

/** Without the secret, so that it cannot get into a response or the log. */
const columns = `w.webhook_key, w.webhook_id, w.url, w.events, w.enabled, w.disabled_reason,
  ${epochMs('w.created_at')} AS created_ts, ${epochMs('w.last_delivered_at')} AS last_delivered_ts, w.last_failure,
  (SELECT count(*)::int FROM webhook_messages m WHERE m.webhook_key = w.webhook_key) AS pending`;

const countStatement: Statement = {
  name: 'count_webhooks',
  text: 'SELECT count(*)::int AS count FROM webhooks WHERE account_id = $1',
};

export async function countWebhooks(db: Queryable, accountId: string): Promise<number> {
  const [row] = await db.rows<{ count: number }>(countStatement, [accountId]);
  return row?.count ?? 0;
}

const insertStatement: Statement = {
  name: 'insert_webhook',
  text: `WITH w AS (
      INSERT INTO webhooks (webhook_id, account_id, url, events, secret) VALUES ($2, $1, $3, $4, $5) RETURNING *
    ) SELECT ${columns} FROM w`,
};

export async function insertWebhook(
  tx: Queryable,
  accountId: string,
  webhook: Pick<WebhookRow, 'webhook_id' | 'url' | 'events'> & { readonly secret: Uint8Array },
): Promise<WebhookRow> {
  const { webhook_id, url, events, secret } = webhook;
  const [row] = await tx.rows<WebhookRow>(insertStatement, [accountId, webhook_id, url, events, secret]);
  if (!row) throw new Error('the webhook was not inserted');
  return row;
}

const findStatement: Statement = {
  name: 'find_webhook',
  text: `SELECT ${columns} FROM webhooks w WHERE w.webhook_id = $2 AND w.account_id = $1`,
};

/** Uses the unique index on webhook_id, then checks the account. */
export async function findWebhook(
  db: Queryable,
  accountId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const [row] = await db.rows<WebhookRow>(findStatement, [accountId, webhookId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_webhooks',
  text: boundedRows(
    'webhook_key DESC',
    '$4',
    `SELECT ${columns} FROM webhooks w WHERE w.account_id = $1 AND w.webhook_key < $2 ORDER BY w.webhook_key DESC LIMIT $3`,
  ),
};

/** Newest first, older than `beforeKey`. Uses webhooks_by_account. */
export async function listWebhookRows(
  db: Queryable,
  accountId: string,
  { beforeKey, limit, bytes }: PageBounds,
): Promise<(WebhookRow & PageRow)[]> {
  return db.rows(listStatement, [accountId, beforeKey, limit, bytes]);
}

export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly enabled?: boolean | undefined;
  /** The current secret becomes the previous one, for some hours. */
  readonly secret?: Uint8Array | undefined;
}

const updateStatement: Statement = {
  name: 'update_webhook',
  text: `WITH w AS (
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
};

const dropStatement: Statement = {
  name: 'delete_webhook_messages',
  text: `DELETE FROM webhook_messages m USING webhooks w
    WHERE m.webhook_key = w.webhook_key AND w.webhook_id = $2 AND w.account_id = $1`,
};

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

const deleteStatement: Statement = {
  name: 'delete_webhook',
  text: `WITH found AS MATERIALIZED (
      SELECT ${columns} FROM webhooks w WHERE w.webhook_id = $2 AND w.account_id = $1
    ), deleted AS (DELETE FROM webhooks w USING found WHERE w.webhook_key = found.webhook_key RETURNING w.webhook_key)
    SELECT found.* FROM found JOIN deleted USING (webhook_key)`,
};

/** Returns the deleted webhook. Its messages are deleted with it. */
export async function deleteWebhookRow(
  db: Queryable,
  accountId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const [row] = await db.rows<WebhookRow>(deleteStatement, [accountId, webhookId]);
  return row;
}
