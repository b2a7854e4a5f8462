import type { Module } from '../module.ts';

/** Who leans toward what, and which groups of users exist. */
export const analyses = {
  name: 'analyses',
  tables: [],
  jobs: {
    QUERYING: async () => (await import('./querying/job.ts')).querying,
    CLUSTERING: async () => (await import('./clustering/job.ts')).clustering,
  },
} satisfies Module;
