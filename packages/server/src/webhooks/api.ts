import { limits, type Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, invalidField, requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { newId } from '../http/ids.ts';
import { listPage } from '../http/pages.ts';
import { isPrivateHost } from '../kernel/lib/private-address.ts';
import type { Services } from '../services.ts';
import {
  countWebhooks,
  deleteWebhookRow,
  findWebhook,
  insertWebhook,
  listWebhookRows,
  updateWebhookRow,
  type WebhookRow,
} from './rows/webhooks.ts';
import { newWebhookSecret, showSecret } from './secrets.ts';

/** A webhook as the API returns it, without internal keys. */
const webhook = (row: WebhookRow) => ({
  webhook_id: row.webhook_id,
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  created_ts: row.created_ts,
  last_delivered_ts: row.last_delivered_ts,
  last_failure: row.last_failure,
  pending: row.pending,
});

export function api({ config: { webhooks: settings } }: Pick<Services, 'config'>) {
  return {
    createWebhook: async (call, request) => {
      checkUrl(request.url, settings);
      return createWebhook(call, request);
    },
    getWebhook: async ({ db, accountId }, { webhook_id }) =>
      webhook(requireFound(await findWebhook(db, accountId, webhook_id), 'Webhook', webhook_id)),
    listWebhooks: async (call, request) => {
      const { items, ...page } = await listPage(call, request, {
        name: 'webhooks',
        rows: (bounds) => listWebhookRows(call.db, bounds, call.accountId),
        keyOf: (row) => row.webhook_key,
        present: webhook,
      });
      return { webhooks: items, ...page };
    },
    updateWebhook: async ({ db, accountId }, { webhook_id, rotate_secret = false, ...sent }) => {
      if (sent.url !== undefined) checkUrl(sent.url, settings);
      const secret = rotate_secret ? newWebhookSecret() : undefined;
      const change = { url: sent.url, events: sent.events, enabled: sent.enabled, secret };
      const updated = await db.transaction((tx) =>
        updateWebhookRow(tx, accountId, webhook_id, change, limits.secretOverlapHours),
      );
      const changed = webhook(requireFound(updated, 'Webhook', webhook_id));
      return secret ? { ...changed, secret: showSecret(secret) } : changed;
    },
    deleteWebhook: async ({ db, accountId }, { webhook_id }) =>
      webhook(requireFound(await deleteWebhookRow(db, accountId, webhook_id), 'Webhook', webhook_id)),
  } as const satisfies Handlers;
}

export interface WebhookSettings {
  readonly allowsPrivateAddresses: boolean;
}

/** The secret is in the response of this call only. */
async function createWebhook(ctx: Context, { url, events }: Request<'createWebhook'>) {
  const secret = newWebhookSecret();
  return ctx.db.transaction(async (tx) => {
    // So that concurrent calls cannot both take the last place.
    await lockAccount(tx, ctx.accountId);
    if ((await countWebhooks(tx, ctx.accountId)) >= limits.webhooksPerAccount)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `An account has at most ${limits.webhooksPerAccount} webhooks. Delete those that you no longer need.`,
      );
    const row = await insertWebhook(tx, ctx.accountId, {
      webhook_id: newId('webhook'),
      url,
      events,
      secret,
    });
    return { ...webhook(row), secret: showSecret(secret) };
  });
}

/** A name is checked when a message is sent, since what it resolves to may change. */
function checkUrl(url: string, { allowsPrivateAddresses }: WebhookSettings): void {
  const refuse = (message: string) => {
    throw invalidField('url', message);
  };
  if (!URL.canParse(url)) return refuse('must be a URL');
  const { hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return refuse('must not have credentials');
  if (!allowsPrivateAddresses && isPrivateHost(hostname))
    return refuse('must not be an address of a private network');
}
