import { counter } from '../kernel/observability/metrics.ts';

/** `dropped`: the message was given up. */
export const webhookMessages = counter<{ outcome: 'delivered' | 'failed' | 'dropped' }>(
  'webhook_messages_total',
  'Attempts to deliver a message to a webhook, by outcome',
  { labels: ['outcome'] },
);
