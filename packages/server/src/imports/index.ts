import type { Module } from '../module.ts';
import * as metrics from './metrics.ts';

/** Files and messages of other tools that become records. */
export const imports = {
  name: 'imports',
  tables: [],
  http: async () => (await import('./http.ts')).http,
  jobs: {
    IMPORT: async () => (await import('./job.ts')).importing,
  },
  account: async () => (await import('./account.ts')).account,
  metrics: Object.values(metrics),
} satisfies Module;
