import type { Module } from '../module.ts';

/** How much is called and stored. */
export const usage = {
  name: 'usage',
  tables: ['call_counts', 'event_counts', 'dataset_sizes'],
  api: async () => (await import('./api.ts')).api,
  http: async () => (await import('./http.ts')).http,
  tasks: [
    {
      name: 'remove old usage counts',
      pauseMs: 10 * 60_000,
      open: async () => (await import('./task.ts')).purgeUsage,
    },
    {
      name: 'record the sizes of datasets',
      // How soon a worker notices that a round is due.
      pauseMs: 30_000,
      open: async () => (await import('./task.ts')).recordSizes,
    },
  ],
} satisfies Module;
