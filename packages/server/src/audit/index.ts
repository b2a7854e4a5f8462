import type { Module, TaskStep } from '../module.ts';
import type { Services } from '../services.ts';

const rowsPerStep = 1000;

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
      open: async () => {
        const { purgeAuditEvents } = await import('./rows.ts');
        return ({ db, config }: Services): TaskStep =>
          async () =>
            (await purgeAuditEvents(db, config.console.auditDays, rowsPerStep)) === rowsPerStep;
      },
    },
  ],
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
