import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { purgePeople, purgeSessions as purgeRows } from './rows/sessions.ts';

const rowsPerStep = 500;

/** Removes sessions that were not used for too long, expired links, and people without an account. */
export function purgeSessions({ db, config }: Pick<Services, 'db' | 'config'>): TaskStep {
  return async () => {
    const sessions = await purgeRows(db, Date.now() - config.console.idleMs, rowsPerStep);
    const people = await db.transaction((tx) => purgePeople(tx, rowsPerStep));
    return sessions === rowsPerStep || people === rowsPerStep;
  };
}
