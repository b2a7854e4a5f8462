import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { purgeAuditEvents as purgeRows } from './rows.ts';

const rowsPerStep = 1000;

/** Removes audit events that are older than AUDIT_RETENTION_DAYS. */
export function purgeAuditEvents({ db, config }: Pick<Services, 'db' | 'config'>): TaskStep {
  return async () => {
    return (await purgeRows(db, config.console.auditDays, rowsPerStep)) === rowsPerStep;
  };
}
