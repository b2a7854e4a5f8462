import type { Module } from '../module.ts';

/** Datasets and their records. */
export const datasets = {
  name: 'datasets',
  tables: ['datasets', 'dataset_counts', 'events', 'items', 'users', 'item_changes'],
  api: async () => (await import('./api.ts')).api,
  tasks: [
    {
      name: 'purge deleted datasets',
      // How soon an idle worker notices a deleted dataset.
      pauseMs: 2000,
      open: async () => (await import('./purge.ts')).purgeDatasets,
    },
    {
      name: 'delete expired events',
      // How soon an idle worker notices a new retention.
      pauseMs: 2000,
      open: async () => (await import('./expire-events.ts')).expireEvents,
    },
    {
      name: 'remove old item changes',
      // Rows are kept for an hour, so a minute more does not matter.
      pauseMs: 60_000,
      open: async () => (await import('./purge.ts')).purgeItemChanges,
    },
  ],
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
