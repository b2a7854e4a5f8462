import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { purgeAuditEvents as purgeRows } from './rows.ts';

const rowsPerStep = 1000;
/** They are kept for days, so some minutes more do not matter. */
const pauseMs = 5 * 60_000;

/** Removes audit events that are older than `days` days, until `stopping`. */
export async function purgeAuditEvents(
  db: Database,
  days: number,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to remove old audit events; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    return (await purgeRows(db, days, rowsPerStep)) === rowsPerStep;
  });
}
