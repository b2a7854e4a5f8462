import { setTimeout as sleep } from 'node:timers/promises';

/** Calls at a steady rate until stopped, however long each call takes. Ends when all calls have ended. */
export async function callSteadily(
  callsPerSecond: number,
  stopping: AbortSignal,
  call: (n: number) => Promise<void>,
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let n = 0; !stopping.aborted; n++) {
    const one = call(n);
    inFlight.add(one);
    void one.finally(() => inFlight.delete(one));
    const waitMs = startedAt + ((n + 1) * 1000) / callsPerSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
  }
  await Promise.all(inFlight);
}
