import type { Role } from '../config.ts';
import { within } from '../lib/within.ts';
import type { Log } from '../observability/log.ts';
import { type DatabaseState, findDatabaseState, type Queryable } from '../storage/postgres/pool.ts';

export interface Readiness {
  readonly status: 'ready' | 'not ready';
  /** Why it is not ready. Also set if it is ready but limited. */
  readonly reason?: string;
}

/** Shorter than the usual timeout of health checks, 5 s. */
const answerMs = 3000;

const reasons: Record<DatabaseState, string | undefined> = {
  writable: undefined,
  'read-only': 'The database is read-only (a standby, for example).',
  unreachable: 'The database cannot be reached.',
};

/** Checks whether the process can work. Recommendations only read, so a serving process is ready on a standby. */
export function createReadiness(
  { role, db, log }: { role: Role; db: Queryable; log: Log },
  stopping: AbortSignal,
): () => Promise<Readiness> {
  let last: DatabaseState = 'writable';
  return async () => {
    if (stopping.aborted) return { status: 'not ready', reason: 'The process is stopping.' };
    const state = await within(answerMs, findDatabaseState(db)).catch((): DatabaseState => 'unreachable');
    const isReady = state === 'writable' || (state === 'read-only' && role === 'serving');
    const reason = reasons[state];
    if (state !== last) {
      if (reason === undefined) log.info('ready again: the database is writable');
      else log.warn({ ready: isReady }, reason);
    }
    last = state;
    const status = isReady ? 'ready' : 'not ready';
    return reason === undefined ? { status } : { status, reason };
  };
}
