import { isIdempotent } from '@tastegraph/contract/endpoints';
import type { Clock } from './clock.ts';
import type { Deadline } from './deadline.ts';
import { ApiError, ConnectionError, TastegraphError, TimeoutError } from './errors.ts';
import type { Action } from './idempotency.ts';

/** Longer than most short failures, but hardly noticeable. */
const initialPauseMs = 250;
/** A longer pause would gain little, and would not fit in the default timeout. */
const maxPauseMs = 8_000;

/** Statuses after which the client cannot know whether the operation was executed. */
const unknownOutcomeStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Whether the operation may have been executed despite the error: a service that loses its database during a commit sends a 503. */
export function hasUnknownOutcome(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    (error instanceof ApiError && unknownOutcomeStatuses.has(error.status))
  );
}

/** Errors that are not caused by the request, so that a later attempt may succeed. */
export function isTransient(error: unknown): boolean {
  const isRateLimited = error instanceof ApiError && error.status === 429;
  return isRateLimited || error instanceof TimeoutError || hasUnknownOutcome(error);
}

/**
 * The service sends a 429 before it does any work, so every operation can be retried. After an error with an unknown
 * outcome, only idempotent operations are: a second training job costs more than an error.
 */
function mayRetry(action: Action, error: unknown): boolean {
  // The token request has already done its own retries.
  if (!(error instanceof TastegraphError) || error.operation !== action) return false;
  if (error instanceof ApiError && error.status === 429) return true;
  return isIdempotent(action) && hasUnknownOutcome(error);
}

/** Exponential backoff with full jitter on top of Retry-After, so that callers that failed together do not retry together. */
function pauseMs(error: unknown, retries: number, random: number): number {
  const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return retryAfterMs + random * Math.min(maxPauseMs, initialPauseMs * 2 ** retries);
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
      if (retries >= maxRetries || !mayRetry(action, error)) throw error;
      const pause = pauseMs(error, retries, clock.random());
      // The retry would time out anyway, and this error says more than the timeout.
      if (pause >= deadline.remainingMs()) throw error;
      await clock.sleep(pause, deadline.signal);
    }
  }
}
