import type { Module } from '../module.ts';

/** Compares variants of a scenario with real users. */
export const experiments = {
  name: 'experiments',
  tables: ['experiments', 'experiment_variants'],
  api: async () => (await import('./api.ts')).api,
  on: {
    neededBy: {
      model: async (...asked) => (await import('./needs.ts')).explainNeed(...asked),
      scenario: async (...asked) => (await import('./needs.ts')).explainNeed(...asked),
    },
    attributed: async (...run) => (await import('./measure-attributed.ts')).measureAttributed(...run),
  },
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
