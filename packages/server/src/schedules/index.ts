import type { Module } from '../module.ts';
import * as metrics from './metrics.ts';

/** Jobs at regular times. */
export const schedules = {
  name: 'schedules',
  tables: ['schedules'],
  api: async () => (await import('./api.ts')).api,
  tasks: [
    {
      name: 'run schedules',
      // How late a run may start while the workers are idle.
      pauseMs: 1000,
      open: async () => (await import('./run-schedules.ts')).runSchedules,
    },
  ],
  on: { forgetUser: async (...erased) => (await import('./rows.ts')).forgetScheduledUser(...erased) },
  metrics: Object.values(metrics),
} satisfies Module;
