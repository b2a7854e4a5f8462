import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@tastegraph/server/within';

export interface WaitOptions {
  readonly limitMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Polls `check` until it returns true. Returns false after the time limit, and rethrows errors of `check`. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  limits: WaitOptions,
): Promise<boolean> {
  const end = performance.now() + limits.limitMs;
  for (;;) {
    if (await check()) return true;
    if (performance.now() >= end) return false;
    await sleep(limits.everyMs ?? 20, undefined, limits.signal ? { signal: limits.signal } : {});
  }
}

/** True if `promise` settles within the time limit. Leaves no timer behind. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  return within(limitMs, Promise.allSettled([promise])).then(
    () => true,
    () => false,
  );
}
