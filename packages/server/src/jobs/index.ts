import type { Module } from '../module.ts';
import * as metrics from './metrics.ts';

/** Jobs: submitting, running, their results and downloads. */
export const jobs = {
  name: 'jobs',
  tables: ['jobs', 'workers'],
  api: async () => (await import('./api.ts')).api,
  http: async () => (await import('./http.ts')).http,
  tasks: [
    {
      name: 'remove orphaned objects',
      // How soon an idle worker notices one.
      pauseMs: 2000,
      open: async () => (await import('./objects/remove-orphaned-objects.ts')).removeOrphanedObjects,
    },
    {
      name: 'sweep the object store',
      // How soon a worker notices that a round is due.
      pauseMs: 60_000,
      open: async () => (await import('./objects/sweep-objects.ts')).sweepObjects,
    },
    {
      name: 'expire old results',
      // Results are kept for days, so a minute more does not matter.
      pauseMs: 60_000,
      open: async () => (await import('./expire.ts')).expireResults,
    },
    {
      name: 'remove old jobs',
      // How soon a worker notices that a round is due.
      pauseMs: 60_000,
      open: async () => (await import('./expire.ts')).expireJobs,
    },
  ],
  on: { forgetUser: async (...erased) => (await import('./rows/jobs.ts')).forgetListedUser(...erased) },
  account: async () => (await import('./account.ts')).account,
  metrics: Object.values(metrics),
} satisfies Module;
