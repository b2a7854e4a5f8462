import { limits } from '@tastegraph/contract/limits';

/**
 * The latest time of an event that counts. Events between now and then read as now: their sender's clock is ahead. Later ones
 * are refused, and every reader ignores those that are stored all the same.
 */
export const latestTs = (nowMs = Date.now()): number => nowMs + limits.eventAheadMs;
