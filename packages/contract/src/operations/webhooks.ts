import { limits } from '../limits.ts';
import { Closed, Page, PageQuery } from '../schemas/fields.ts';
import { CreatedWebhook, CreateWebhook, UpdateWebhook, Webhook, WebhookRef } from '../schemas/webhook.ts';
import type { Operation } from './operation.ts';

export const webhookOperations = {
  createWebhook: {
    concept: 'Webhooks',
    summary: 'Have messages sent to a URL when something happens',
    description: [
      'Each message is a POST with a JSON body of `type`, `timestamp` and `data`, signed as [Standard Webhooks](https://www.standardwebhooks.com) has it: in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. A response with a status of 2xx within 10 seconds confirms it.',
      'Messages are delivered at least once, in any order: `webhook-id` tells repetitions. A message that is not confirmed is sent again for a day, with growing pauses. A webhook that failed for a whole day is disabled, and so is one that answers 410. Redirects are not followed.',
      `An account has at most ${limits.webhooksPerAccount} webhooks.`,
    ].join('\n\n'),
    request: CreateWebhook,
    response: CreatedWebhook,
    errors: ['QUOTA_EXCEEDED'],
  },
  getWebhook: {
    concept: 'Webhooks',
    summary: 'Get a webhook',
    description: 'With its last failure, and how many messages are pending.',
    request: WebhookRef,
    response: Webhook,
    errors: ['NOT_FOUND'],
  },
  listWebhooks: {
    concept: 'Webhooks',
    summary: "List the account's webhooks",
    description: '',
    request: Closed(PageQuery),
    response: Page('webhooks', Webhook),
    errors: [],
  },
  updateWebhook: {
    concept: 'Webhooks',
    summary: 'Change, enable or disable a webhook, or rotate its secret',
    description: 'Fields that you leave out stay as they are. Disabling it drops its pending messages.',
    request: UpdateWebhook,
    response: Webhook,
    errors: ['NOT_FOUND'],
  },
  deleteWebhook: {
    concept: 'Webhooks',
    summary: 'Delete a webhook and its pending messages',
    description: 'Returns the deleted webhook.',
    request: WebhookRef,
    response: Webhook,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
