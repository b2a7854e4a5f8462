import { Worker } from 'node:worker_threads';
import type { Log } from '../../observability/log.ts';
import type { Attempt } from '../../storage/postgres/attempts.ts';

export interface HeartbeatSettings {
  readonly databaseUrl: string;
  readonly workerId: string;
  readonly everyMs: number;
  /** How long the main thread may be busy before the process counts as hung: it is then ended. */
  readonly hungMs: number;
}

/** What the thread is told, and what it says. */
export type ToHeartbeat = { readonly hold: Attempt } | { readonly release: Attempt };
export type FromHeartbeat = { readonly lost: Attempt } | { readonly trouble: string };

/** A process may hold two attempts at one job: it was taken for lost, and took what was its own again. */
export const holdName = ({ job_key, attempt }: Attempt) => `${job_key} ${attempt}`;

export interface Heartbeat extends AsyncDisposable {
  /** Beats for the attempt until released; `onLost` when the job was given to another, was canceled, or is gone. */
  hold(attempt: Attempt, onLost: () => void): { release(): void };
}

/** The main thread's own sign of life, for the thread to see. */
const tickMs = 250;

/**
 * Beats from a thread of its own, over a connection of its own: however busy the work keeps the process, its jobs are
 * not taken for lost. The thread in turn watches the main thread, so that one that hangs does not live on by it.
 */
export function startHeartbeat(settings: HeartbeatSettings, log: Log): Heartbeat {
  const ticks = new Int32Array(new SharedArrayBuffer(4));
  const ticking = setInterval(() => Atomics.add(ticks, 0, 1), tickMs);
  const thread = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), {
    workerData: { settings, ticks },
  });
  const held = new Map<string, () => void>();
  thread.on('message', (message: FromHeartbeat) => {
    if ('lost' in message) held.get(holdName(message.lost))?.();
    else log.warn({ trouble: message.trouble }, 'the heartbeat did not get through');
  });
  // Without heartbeats every job is given to others, now and later: the process ends in order, to be started again.
  thread.on('error', (error) => {
    log.fatal({ err: error }, 'the heartbeat ended, and with it the process');
    for (const lose of held.values()) lose();
    process.kill(process.pid, 'SIGTERM');
  });
  const tell = (message: ToHeartbeat) => thread.postMessage(message);
  return {
    hold({ job_key, attempt }, onLost) {
      const hold: Attempt = { job_key, attempt };
      held.set(holdName(hold), onLost);
      tell({ hold });
      return {
        release: () => {
          held.delete(holdName(hold));
          tell({ release: hold });
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(ticking);
      await thread.terminate();
    },
  };
}
