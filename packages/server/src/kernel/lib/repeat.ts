import { setTimeout as sleep } from 'node:timers/promises';

interface RepeatOptions {
  /** The pause after work that found nothing to do or failed. */
  readonly pauseMs: number;
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Runs `work` repeatedly until `stopping`: at once if it returns true (there is more), otherwise after a pause. Never throws. */
export async function repeat(
  { pauseMs, stopping, onError }: RepeatOptions,
  work: () => Promise<boolean>,
): Promise<void> {
  // A function, so that TypeScript does not assume that the value stays the same.
  const isStopped = () => stopping.aborted;
  while (!isStopped()) {
    let more = false;
    try {
      more = await work();
    } catch (error) {
      if (!isStopped()) onError(error);
    }
    if (!more) await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
