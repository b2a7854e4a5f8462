import { repeat } from '../../lib/repeat.ts';
import type { Log } from '../../observability/log.ts';
import { listRunning } from '../../storage/postgres/attempts.ts';
import { type Settling, settleFailed } from './settle-attempt.ts';
import { Trouble } from './trouble.ts';

export interface Watching {
  readonly everyMs: number;
  /** An attempt whose heartbeat stood still for so long, before our eyes, is given up. */
  readonly lostMs: number;
}

/**
 * Watches the heartbeats of all running jobs until `stopping`, and gives up those that stand still: their jobs are tried
 * again or fail. Any number of processes may do it. Time is counted only while this process sees the database: after one that
 * was away, every worker has its full time again to show that it lives; and no two machines' clocks are compared.
 */
export async function giveUpLost(
  settling: Settling,
  { everyMs, lostMs }: Watching,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  let seen = new Map<string, number>();
  const onError = (error: unknown) => {
    seen = new Map();
    log.warn({ err: error }, 'heartbeats could not be read');
  };
  await repeat({ pauseMs: everyMs, stopping, onError }, async () => {
    const now = performance.now();
    const next = new Map<string, number>();
    for (const hold of await listRunning(settling.db)) {
      const sign = `${hold.job_key} ${hold.attempt} ${hold.heartbeat}`;
      const since = seen.get(sign) ?? now;
      next.set(sign, since);
      if (now - since < lostMs) continue;
      const status = await settleFailed(settling, hold, new Trouble('WORKER_LOST'));
      log.warn({ job_key: hold.job_key, attempt: hold.attempt, status }, 'a worker was lost');
    }
    seen = next;
    return false;
  });
}
