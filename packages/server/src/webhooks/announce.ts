import type { WebhookEvent } from '@tastegraph/contract';
import { newId } from '../http/ids.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { insertMessages } from './rows/messages.ts';

/**
 * Tells the account's webhooks that something has happened. Call it in the transaction in which it happens: the message is sent if and
 * only if the transaction commits. `data` has IDs, names and figures, and no records.
 */
export async function announce(
  tx: Queryable,
  accountId: string,
  type: WebhookEvent,
  data: object,
): Promise<void> {
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  await insertMessages(tx, accountId, { type, messageId: newId('message'), body });
}
