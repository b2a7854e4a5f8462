import { limits, type WebhookEvent } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { many, none, statement } from '../../kernel/postgres/statement.ts';
import type { WebhookRow } from './webhooks.ts';

/** One for each webhook that wants it, in the transaction of what happened. Without webhooks, one lookup in an index. */
export const insertMessages = none<
  [accountId: string, message: { type: WebhookEvent; messageId: string; body: string }]
>(
  'insert_webhook_messages',
  `WITH told AS MATERIALIZED (
      SELECT w.webhook_key, (SELECT count(*) FROM (
          SELECT FROM webhook_messages m WHERE m.webhook_key = w.webhook_key LIMIT $5::int) AS waiting) < $5::int AS has_room
        FROM webhooks w WHERE w.account_id = $1 AND w.enabled AND $2::text = ANY(w.events)
    ), disabled AS (
      UPDATE webhooks w SET enabled = false,
          disabled_reason = 'Its backlog of ' || $5::int || ' messages was full. They are still sent for a day.'
        FROM told WHERE w.webhook_key = told.webhook_key AND NOT told.has_room
    ) INSERT INTO webhook_messages (message_id, account_id, webhook_key, body)
      SELECT $3, $1, webhook_key, $4 FROM told WHERE has_room`,
  (accountId, { type, messageId, body }) => [accountId, type, messageId, body, limits.webhookBacklog],
);

export interface DueMessage {
  readonly message_key: number;
  readonly message_id: string;
  readonly account_id: string;
  readonly webhook_key: number;
  readonly webhook_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly url: string;
  readonly secret: Buffer;
  /** Null if it no longer signs. */
  readonly previous_secret: Buffer | null;
}

/**
 * Messages to send now, at most `perAccount` of each account, or as many as it has room for. They belong to the caller for
 * `leaseSeconds`. Goes from one account to the next in the index, so the backlog of one does not slow down the others.
 */
export const claimMessages = many<
  [room: ReadonlyMap<string, number>, bounds: { perAccount: number; total: number; leaseSeconds: number }],
  DueMessage
>(
  'claim_webhook_messages',
  `WITH RECURSIVE waiting (account_id) AS (
      (SELECT account_id FROM webhook_messages ORDER BY account_id LIMIT 1)
    UNION ALL
      SELECT following.account_id FROM waiting, LATERAL (
        SELECT account_id FROM webhook_messages m WHERE m.account_id > waiting.account_id ORDER BY account_id LIMIT 1) following
    ), due AS MATERIALIZED (
      SELECT next.message_key FROM waiting
        LEFT JOIN unnest($1::text[], $2::int[]) AS busy (account_id, room) USING (account_id),
        LATERAL (SELECT m.message_key FROM webhook_messages m
          WHERE m.account_id = waiting.account_id AND m.due_at <= clock_timestamp()
          ORDER BY m.due_at LIMIT coalesce(busy.room, $3::int)) next
      LIMIT $4::int
    ), claimed AS (
      UPDATE webhook_messages m SET attempts = attempts + 1, due_at = clock_timestamp() + $5::float8 * interval '1 second'
        FROM due WHERE m.message_key = due.message_key AND m.due_at <= clock_timestamp() RETURNING m.*
    ) SELECT c.message_key::float8 AS message_key, c.message_id, c.account_id, c.webhook_key, w.webhook_id, c.body,
        c.attempts, w.url, w.secret,
        CASE WHEN w.previous_until > clock_timestamp() THEN w.previous_secret END AS previous_secret
      FROM claimed c JOIN webhooks w USING (webhook_key)`,
  (room, { perAccount, total, leaseSeconds }) => [
    [...room.keys()],
    [...room.values()],
    perAccount,
    total,
    leaseSeconds,
  ],
);

export const confirmMessage = none<[messageKey: number]>(
  'confirm_webhook_message',
  `WITH sent AS (DELETE FROM webhook_messages WHERE message_key = $1 RETURNING webhook_key)
    UPDATE webhooks w SET last_delivered_at = clock_timestamp(), failing_since = NULL, last_failure = NULL
      FROM sent WHERE w.webhook_key = sent.webhook_key`,
);

/** Ends the lease of a message that was not sent, and does not count the attempt. Does nothing if another worker has claimed it since. */
export const releaseMessage = none<[message: Pick<DueMessage, 'message_key' | 'attempts'>]>(
  'release_webhook_message',
  `UPDATE webhook_messages SET attempts = attempts - 1, due_at = clock_timestamp()
    WHERE message_key = $1 AND attempts = $2`,
  ({ message_key, attempts }) => [message_key, attempts],
);

export interface FailedMessage extends Pick<DueMessage, 'message_key' | 'webhook_key'> {
  readonly failure: NonNullable<WebhookRow['last_failure']>;
  readonly retrySeconds: number;
  /** How long a message is sent again, and a webhook may fail. */
  readonly maxHours: number;
  /** The receiver asks for no more messages. */
  readonly isGone: boolean;
}

/** SQL: the receiver is gone, or has failed for too long. */
const isOver = `($6::boolean OR coalesce(failing_since, clock_timestamp()) < clock_timestamp() - $5::float8 * interval '1 hour')`;

const failStatement = statement(
  'fail_webhook_message',
  `WITH w AS (
      UPDATE webhooks SET last_failure = $3::jsonb, failing_since = coalesce(failing_since, clock_timestamp()),
          enabled = enabled AND NOT ${isOver},
          disabled_reason = CASE WHEN NOT ${isOver} THEN disabled_reason WHEN $6 THEN 'It answered 410 Gone.'
            ELSE 'It failed for ' || $5::float8 || ' hours. The last failure: ' || ($3::jsonb->>'message') END
        WHERE webhook_key = $2 RETURNING webhook_key, ${isOver} AS is_over
    ), dropped AS (
      DELETE FROM webhook_messages m WHERE m.webhook_key IN (SELECT webhook_key FROM w WHERE is_over)
        OR (m.message_key = $1 AND m.created_at < clock_timestamp() - $5::float8 * interval '1 hour') RETURNING message_key
    ), postponed AS (
      UPDATE webhook_messages m SET due_at = clock_timestamp() + $4::float8 * interval '1 second'
        WHERE m.message_key = $1 AND NOT EXISTS (SELECT FROM dropped WHERE dropped.message_key = m.message_key)
    ) SELECT (SELECT count(*)::int FROM dropped) AS dropped,
        coalesce((SELECT is_over FROM w), false) AS disabled`,
);

/** Sends the message again later, or gives it up if it is too old. Disables a webhook that has failed for too long. */
export async function failMessage(
  db: Queryable,
  { message_key, webhook_key, failure, retrySeconds, maxHours, isGone }: FailedMessage,
): Promise<{ dropped: number; disabled: boolean }> {
  const values = [message_key, webhook_key, failure, retrySeconds, maxHours, isGone];
  const [row] = await db.rows<{ dropped: number; disabled: boolean }>(failStatement, values);
  return row ?? { dropped: 0, disabled: false };
}
