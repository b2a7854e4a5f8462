import type { Clock } from './clock.ts';
import type { Deadline } from './deadline.ts';
import { ApiError, ConnectionError, TastegraphError, TimeoutError } from './errors.ts';
import { type Action, isRepeatable } from './repeatable.ts';

/** The first pause is up to a quarter of a second: longer than most hiccups, shorter than a person notices. */
const firstPauseMs = 250;
/** Past this, a longer pause gains little, and a default call has no time for it anyway. */
const longestPauseMs = 8_000;

/** Answers after which nobody can say whether the operation was carried out. */
const openStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/**
 * Whether the operation may have been carried out in spite of the error. A 503 counts: the service also
 * answers it when it loses its database, which may be in the middle of a commit.
 */
export function leavesOutcomeOpen(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && openStatuses.has(error.status));
}

/** Nothing that is wrong with the request: asking again later may be answered. */
export function isPassing(error: unknown): boolean {
  const slowedDown = error instanceof ApiError && error.status === 429;
  return slowedDown || error instanceof TimeoutError || leavesOutcomeOpen(error);
}

/**
 * A 429 is given before any work is done, so that everything may be sent again after it. After an error that
 * leaves the outcome open, only what is repeatable may: a second training job costs more than an error.
 */
function mayRepeat(action: Action, error: unknown): boolean {
  // A token's error reaches here only after retries of its own.
  if (!(error instanceof TastegraphError) || error.operation !== action) return false;
  if (error instanceof ApiError && error.status === 429) return true;
  return isRepeatable(action) && leavesOutcomeOpen(error);
}

/**
 * Exponential, with full jitter, so that callers who failed together do not return together. What Retry-After
 * asks for is waited out in full, and the jitter comes on top.
 */
function pauseMs(error: unknown, retries: number, random: number): number {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked + random * Math.min(longestPauseMs, firstPauseMs * 2 ** retries);
}

export async function withRetries<T>(
  action: Action,
  attempt: () => Promise<T>,
  { maxRetries, deadline, clock }: { maxRetries: number; deadline: Deadline; clock: Clock },
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (retries >= maxRetries || !mayRepeat(action, error)) throw error;
      const pause = pauseMs(error, retries, clock.random());
      // Known to be in vain: the error at hand says more than the timeout that would follow.
      if (pause >= deadline.remainingMs()) throw error;
      await clock.sleep(pause, deadline.signal);
    }
  }
}
