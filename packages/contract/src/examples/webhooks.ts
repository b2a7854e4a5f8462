import type { webhookOperations } from '../operations/webhooks.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { ExampleResponse, Examples } from './example.ts';

const ref = { webhook_id: ids.webhook };
const settings = {
  url: 'https://shop.example.com/hooks/tastegraph',
  events: ['job.ended' as const, 'guard.refused' as const],
};
const webhook: ExampleResponse<'getWebhook'> = {
  ...ref,
  ...settings,
  enabled: true,
  disabled_reason: null,
  created_ts: morning,
  last_delivered_ts: morning + minute,
  last_failure: null,
  pending: 0,
};

export const webhookExamples: Examples<keyof typeof webhookOperations> = {
  createWebhook: {
    request: settings,
    response: { ...webhook, last_delivered_ts: null, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  },
  getWebhook: { request: ref, response: webhook },
  listWebhooks: { request: {}, response: { webhooks: [webhook], next_page_token: null, message: null } },
  updateWebhook: { request: { ...ref, enabled: false }, response: { ...webhook, enabled: false } },
  deleteWebhook: { request: ref, response: webhook },
};
