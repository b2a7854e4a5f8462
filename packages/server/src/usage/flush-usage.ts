import { repeat } from '../kernel/lib/repeat.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { UsageRecorder } from './usage-recorder.ts';

/** How old the newest counts may be, and what a process that is killed loses. */
const everyMs = 10_000;

/** Flushes until `stopping`, then once more when `stop` is called: after the last call was answered. */
export function flushUsage(
  usage: UsageRecorder,
  db: Queryable,
  stopping: AbortSignal,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const running = repeat({ pauseMs: everyMs, stopping, onError }, async () => {
    await usage.flush(db);
    return false;
  });
  return {
    async stop() {
      await running;
      await usage.flush(db).catch(onError);
    },
  };
}
