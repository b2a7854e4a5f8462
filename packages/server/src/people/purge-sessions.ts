import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { purgePeople, purgeSessions as purgeRows } from './rows/sessions.ts';

const rowsPerStep = 500;
/** They are refused as soon as they expire, so a few minutes more do not matter. */
const pauseMs = 5 * 60_000;

/** Removes sessions that were not used for `idleMs`, expired links, and people without an account, until `stopping`. */
export async function purgeSessions(
  db: Database,
  idleMs: number,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to remove old sessions; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const sessions = await purgeRows(db, Date.now() - idleMs, rowsPerStep);
    const people = await db.transaction((tx) => purgePeople(tx, rowsPerStep));
    return sessions === rowsPerStep || people === rowsPerStep;
  });
}
