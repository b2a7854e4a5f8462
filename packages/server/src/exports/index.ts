import type { Module } from '../module.ts';

/** Records and exposures as files. */
export const exports = {
  name: 'exports',
  tables: [],
  jobs: {
    EXPORT: async () => (await import('./job.ts')).exporting,
  },
} satisfies Module;
