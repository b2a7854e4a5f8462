import type { Role } from '../config.ts';
import { within } from '../kernel/lib/within.ts';
import type { Log } from '../kernel/observability/log.ts';
import { type DatabaseState, findDatabaseState, type Queryable } from '../kernel/postgres/pool.ts';

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

const replicaReason = 'Recommendations are read from the replica.';

interface ReadinessContext {
  readonly role: Role;
  readonly db: Queryable;
  /** Whether recommendation calls can be answered without `db`. */
  readonly canRead: () => boolean;
  readonly log: Log;
}

/** Recommendations only read: a serving process is ready on a standby, and every process with a replica without the primary. */
export function createReadiness(
  { role, db, canRead, log }: ReadinessContext,
  stopping: AbortSignal,
): () => Promise<Readiness> {
  let last: string | undefined;
  return async () => {
    if (stopping.aborted) return { status: 'not ready', reason: 'The process is stopping.' };
    const state = await within(answerMs, findDatabaseState(db)).catch((): DatabaseState => 'unreachable');
    const isReadable = canRead();
    const isReady = state === 'writable' || isReadable || (state === 'read-only' && role === 'serving');
    const problem = reasons[state];
    const reason = problem !== undefined && isReadable ? `${problem} ${replicaReason}` : problem;
    if (reason !== last) {
      if (reason === undefined) log.info('ready again: the database is writable');
      else log.warn({ ready: isReady }, reason);
    }
    last = reason;
    const status = isReady ? 'ready' : 'not ready';
    return reason === undefined ? { status } : { status, reason };
  };
}
