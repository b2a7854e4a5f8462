import type { Module } from '../module.ts';
import * as metrics from './metrics.ts';

/** Messages about what happened in an account. */
export const webhooks = {
  name: 'webhooks',
  tables: ['webhooks', 'webhook_messages', 'notices'],
  api: async () => (await import('./api.ts')).api,
  tasks: [
    { run: async () => (await import('./deliver-webhooks.ts')).deliverWebhooks },
    {
      name: 'check limits',
      pauseMs: 5000,
      open: async () => (await import('./notice-limits.ts')).noticeLimits,
    },
  ],
  on: { announce: async (...said) => (await import('./announce.ts')).announce(...said) },
  metrics: Object.values(metrics),
} satisfies Module;
