import { ModelFileError } from '@tastegraph/algorithms';
import type { DegradedPart } from '@tastegraph/contract';
import { LRUCache } from 'lru-cache';
import { DeadlineExceededError } from '../kernel/lib/within.ts';
import { ObjectStoreError } from '../kernel/objects/error.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Metrics } from '../kernel/observability/metrics.ts';
import { isUnavailable } from '../kernel/postgres/pool.ts';
import { type DegradationCause, degradedCalls } from './metrics.ts';

/** What a response lacks, and why. */
export interface Degradation {
  readonly part: DegradedPart;
  readonly error: unknown;
}

interface DegradedCall {
  readonly question: string;
  readonly project_id: string;
  readonly account_id: string;
  readonly request_id: string;
}

export type ReportDegradation = (call: DegradedCall, degradation: Degradation) => void;

/** At most one log line per project, part and cause in this time: a lasting fault degrades every call. */
const intervalMs = 10_000;
/** An evicted entry costs one extra log line. */
const maxEntries = 1000;

/** Counts every degraded call by cause. Logs the first of each kind per interval, with the number of calls since. */
export function createDegradationReport(log: Log, metrics: Metrics): ReportDegradation {
  const unlogged = new LRUCache<string, { calls: number; untilMs: number }>({ max: maxEntries });
  return (call, { part, error }) => {
    const cause = causeOf(error);
    metrics.add(degradedCalls, { question: call.question, reason: part, cause });
    const key = `${call.project_id} ${part} ${cause}`;
    const now = performance.now();
    const known = unlogged.get(key);
    if (known && now < known.untilMs) {
      known.calls++;
      return;
    }
    unlogged.set(key, { calls: 0, untilMs: now + intervalMs });
    log.warn(
      { ...call, part, cause, calls_since_last_line: known?.calls ?? 0, err: error },
      'a recommendation call was degraded',
    );
  };
}

function causeOf(error: unknown): DegradationCause {
  if (error instanceof DeadlineExceededError) return 'deadline';
  if (isUnavailable(error)) return 'database';
  if (error instanceof ModelFileError) return 'model';
  if (error instanceof ObjectStoreError) return error.kind === 'unavailable' ? 'objects' : 'model';
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : 'other';
}
