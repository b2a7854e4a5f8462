import type { Module } from '../module.ts';

/** Deploys models once they are good enough and every serving process has tried them. */
export const deployments = {
  name: 'deployments',
  tables: ['deployment_trials', 'trial_reports', 'servers'],
  api: async () => (await import('./api.ts')).api,
  jobs: {
    DEPLOYMENT: async () => (await import('./job.ts')).deployment,
  },
} satisfies Module;
