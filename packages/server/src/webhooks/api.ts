import type { Handlers } from '../http/handlers.ts';
import type { Services } from '../services.ts';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, updateWebhook } from './manage-webhooks.ts';

type WebhookRow = Awaited<ReturnType<typeof getWebhook>>;

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
      const created = await createWebhook(call, settings, request);
      return { ...webhook(created), secret: created.secret };
    },
    getWebhook: async (call, { webhook_id }) => webhook(await getWebhook(call, webhook_id)),
    listWebhooks: async (call, request) => {
      const { items, ...page } = await listWebhooks(call, request, webhook);
      return { webhooks: items, ...page };
    },
    updateWebhook: async (call, { webhook_id, ...change }) => {
      const updated = await updateWebhook(call, settings, webhook_id, change);
      const { secret } = updated;
      return { ...webhook(updated), ...(secret === undefined ? {} : { secret }) };
    },
    deleteWebhook: async (call, { webhook_id }) => webhook(await deleteWebhook(call, webhook_id)),
  } as const satisfies Handlers;
}
