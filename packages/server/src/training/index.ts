import type { Module } from '../module.ts';

/** Trains models, and checks data before. */
export const training = {
  name: 'training',
  tables: [],
  api: async () => (await import('./api.ts')).api,
  jobs: {
    TRAINING: async () => (await import('./job.ts')).training,
  },
} satisfies Module;
