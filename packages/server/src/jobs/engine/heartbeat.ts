import { Worker } from 'node:worker_threads';
import type { Log } from '../../kernel/observability/log.ts';
import type { Attempt } from '../rows/attempts.ts';

export interface HeartbeatSettings {
  readonly databaseUrl: string;
  readonly workerId: string;
  readonly everyMs: number;
  /** If the main thread is busy for longer, the process counts as hung and is killed. */
  readonly hungMs: number;
}

/** Messages to and from the thread. */
export type ToHeartbeat = { readonly track: Attempt } | { readonly untrack: Attempt };
export type FromHeartbeat = { readonly lost: Attempt } | { readonly error: string };

/** A process may have two attempts at one job: it counted as dead, and then claimed its own job again. */
export const attemptName = ({ job_key, attempt }: Attempt) => `${job_key} ${attempt}`;

export interface Heartbeat extends AsyncDisposable {
  /** Sends heartbeats for the attempt until `stop`. Calls `onLost` when the job was reassigned, canceled or deleted. */
  track(attempt: Attempt, onLost: () => void): { stop(): void };
}

/** How often the main thread shows the heartbeat thread that it is alive. */
const tickMs = 250;

/**
 * Sends heartbeats from a separate thread over its own connection, so that a busy process does not lose its jobs. The
 * thread also watches the main thread, so that a hung process does not keep them.
 */
export function startHeartbeat(settings: HeartbeatSettings, log: Log): Heartbeat {
  const ticks = new Int32Array(new SharedArrayBuffer(4));
  const ticker = setInterval(() => Atomics.add(ticks, 0, 1), tickMs);
  const thread = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), {
    workerData: { settings, ticks },
  });
  const onLostByAttempt = new Map<string, () => void>();
  thread.on('message', (message: FromHeartbeat) => {
    if ('lost' in message) onLostByAttempt.get(attemptName(message.lost))?.();
    else log.warn({ error: message.error }, 'failed to send a heartbeat');
  });
  // Without heartbeats, every job of this process is reassigned: shut down cleanly, to be restarted.
  thread.on('error', (error) => {
    log.fatal({ err: error }, 'the heartbeat thread failed: stopping the process');
    for (const onLost of onLostByAttempt.values()) onLost();
    process.kill(process.pid, 'SIGTERM');
  });
  const post = (message: ToHeartbeat) => thread.postMessage(message);
  return {
    track({ job_key, attempt }, onLost) {
      // Only these fields: a row of the attempt would be copied to the thread as a whole.
      const key: Attempt = { job_key, attempt };
      onLostByAttempt.set(attemptName(key), onLost);
      post({ track: key });
      return {
        stop: () => {
          onLostByAttempt.delete(attemptName(key));
          post({ untrack: key });
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(ticker);
      await thread.terminate();
    },
  };
}
