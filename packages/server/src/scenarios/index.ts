import type { Module } from '../module.ts';

/** Named settings of recommendation calls. */
export const scenarios = {
  name: 'scenarios',
  tables: ['scenarios', 'scenario_versions'],
  api: async () => (await import('./api.ts')).api,
} satisfies Module;
