import type { Module } from '../module.ts';

/** Recommendations for all users, as files. */
export const batches = {
  name: 'batches',
  tables: ['job_parts'],
  jobs: {
    RECOMMENDING: async () => (await import('./job.ts')).recommending,
  },
  tasks: [
    {
      name: 'remove parts of ended jobs',
      pauseMs: 2000,
      open: async () => (await import('./job.ts')).orphanParts,
    },
  ],
} satisfies Module;
