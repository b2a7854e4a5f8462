import type { Module } from '../module.ts';

/** Files and messages of other tools that become records. */
export const imports = {
  name: 'imports',
  tables: [],
  http: async () => (await import('./http.ts')).http,
  jobs: {
    IMPORT: async () => (await import('./job.ts')).importing,
  },
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
