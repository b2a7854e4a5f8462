import { repeat } from '../../kernel/lib/repeat.ts';
import type { Log } from '../../kernel/observability/log.ts';
import { listRunning } from '../rows/attempts.ts';
import { TransientJobError } from './job-error.ts';
import { type SettlementContext, settleFailed } from './settle-attempt.ts';

interface ReapOptions {
  readonly everyMs: number;
  /** An attempt is given up if its heartbeat has not changed for this long while we watched. */
  readonly lostMs: number;
}

/**
 * Watches the heartbeats of all running jobs until `stopping`, and gives up attempts whose heartbeats stop: their jobs
 * are retried or fail. Safe to run in any number of processes. Time counts only while this process can read the
 * database, so that after an outage every worker has the full time again; and no two machines' clocks are compared.
 */
export async function reapStaleJobs(
  context: SettlementContext,
  { everyMs, lostMs }: ReapOptions,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  let seen = new Map<string, number>();
  const onError = (error: unknown) => {
    seen = new Map();
    log.warn({ err: error }, 'failed to read heartbeats');
  };
  await repeat({ pauseMs: everyMs, stopping, onError }, async () => {
    const now = performance.now();
    const next = new Map<string, number>();
    for (const attempt of await listRunning(context.db)) {
      const heartbeat = `${attempt.job_key} ${attempt.attempt} ${attempt.heartbeat}`;
      const since = seen.get(heartbeat) ?? now;
      next.set(heartbeat, since);
      if (now - since < lostMs) continue;
      const status = await settleFailed(context, attempt, new TransientJobError('WORKER_LOST'));
      log.warn(
        { job_key: attempt.job_key, attempt: attempt.attempt, status },
        'a worker stopped sending heartbeats: its job attempt is given up',
      );
    }
    seen = next;
    return false;
  });
}
