import { limits, type WebhookEvent } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, invalidField, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { isPrivateHost } from '../kernel/lib/private-address.ts';
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

export interface WebhookSettings {
  readonly allowsPrivateAddresses: boolean;
}

/** The secret is in the response of this call only. */
export async function createWebhook(
  ctx: Context,
  settings: WebhookSettings,
  { url, events }: { url: string; events: WebhookEvent[] },
): Promise<WebhookRow & { secret: string }> {
  checkUrl(url, settings);
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
    return { ...row, secret: showSecret(secret) };
  });
}

export async function getWebhook(ctx: Context, webhookId: string): Promise<WebhookRow> {
  return requireWebhook(await findWebhook(ctx.db, ctx.accountId, webhookId), webhookId);
}

export async function listWebhooks<Item>(
  ctx: Context,
  request: PageRequest,
  present: (row: WebhookRow) => Item,
) {
  return listPage(ctx, request, {
    name: 'webhooks',
    rows: (bounds) => listWebhookRows(ctx.db, ctx.accountId, bounds),
    keyOf: (row) => row.webhook_key,
    present,
  });
}

export async function updateWebhook(
  ctx: Context,
  settings: WebhookSettings,
  webhookId: string,
  change: { url?: string; events?: WebhookEvent[]; enabled?: boolean; rotate_secret?: boolean },
): Promise<WebhookRow & { secret?: string }> {
  const { url, events, enabled, rotate_secret = false } = change;
  if (url !== undefined) checkUrl(url, settings);
  const secret = rotate_secret ? newWebhookSecret() : undefined;
  const updated = await ctx.db.transaction((tx) =>
    updateWebhookRow(
      tx,
      ctx.accountId,
      webhookId,
      { url, events, enabled, secret },
      limits.secretOverlapHours,
    ),
  );
  const row = requireWebhook(updated, webhookId);
  return secret ? { ...row, secret: showSecret(secret) } : row;
}

export async function deleteWebhook(ctx: Context, webhookId: string): Promise<WebhookRow> {
  return requireWebhook(await deleteWebhookRow(ctx.db, ctx.accountId, webhookId), webhookId);
}

function requireWebhook(webhook: WebhookRow | undefined, webhookId: string): WebhookRow {
  if (!webhook) throw notFound('Webhook', webhookId);
  return webhook;
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
