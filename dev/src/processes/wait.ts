import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitLimits {
  readonly limitMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks `check` again and again until it says yes; false when the time is over. What `check` throws ends the wait. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  limits: WaitLimits,
): Promise<boolean> {
  const end = performance.now() + limits.limitMs;
  for (;;) {
    if (await check()) return true;
    if (performance.now() >= end) return false;
    await sleep(limits.everyMs ?? 20, undefined, limits.signal ? { signal: limits.signal } : {});
  }
}

/** True when `promise` settles within the time. The timer is cleared, so it keeps no process alive. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
