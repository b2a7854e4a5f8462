import type { Module } from '../module.ts';

/** Projects, their algorithms and models, and what is deployed. */
export const projects = {
  name: 'projects',
  tables: ['projects', 'algorithms', 'models', 'deployments', 'past_deployments'],
  api: async () => (await import('./api.ts')).api,
  tasks: [
    {
      name: 'remove old models',
      // How soon a worker notices that a round is due.
      pauseMs: 60_000,
      open: async () => (await import('./expire-by-age.ts')).expireModels,
    },
  ],
  on: {
    neededBy: { dataset: async (...asked) => (await import('./api.ts')).needsDataset(...asked) },
  },
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
