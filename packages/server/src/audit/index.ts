import type { Module } from '../module.ts';

/** Who changed what. */
export const audit = {
  name: 'audit',
  tables: ['audit_events'],
  api: async () => (await import('./api.ts')).api,
  http: async () => (await import('./http.ts')).http,
  tasks: [
    {
      name: 'remove old audit events',
      // They are kept for days, so some minutes more do not matter.
      pauseMs: 5 * 60_000,
      open: async () => (await import('./purge-audit-events.ts')).purgeAuditEvents,
    },
  ],
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
