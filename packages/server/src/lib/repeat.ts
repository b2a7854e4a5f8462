import { setTimeout as sleep } from 'node:timers/promises';

interface Rhythm {
  /** After work that found nothing to do, or failed. */
  readonly pauseMs: number;
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Runs `work` again and again until `stopping`: at once while it says there is more, else after a pause. Never throws. */
export async function repeat(
  { pauseMs, stopping, onError }: Rhythm,
  work: () => Promise<boolean>,
): Promise<void> {
  // Read afresh each time: what aborts it happens elsewhere.
  const stopped = () => stopping.aborted;
  while (!stopped()) {
    let more = false;
    try {
      more = await work();
    } catch (error) {
      if (!stopped()) onError(error);
    }
    if (!more) await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
