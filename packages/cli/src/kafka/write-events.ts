import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventRecord,
  ImportError,
  type ImportFailure,
  isTransient,
  type Tastegraph,
} from '@tastegraph/sdk';

/** Longer pauses would only delay the events after an outage. */
const maxPauseMs = 15_000;
/** The SDK's own retries, before a message says that the service does not answer. */
const callLimits = { timeoutMs: 30_000, maxRetries: 5 };
/** Somebody has to add shards: asking more often changes nothing. */
const defaultFullPauseMs = 30_000;

export interface Rejection {
  /** The position in the events that were to be written. */
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

interface WriteOptions {
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
  /** How long to wait for room in a full dataset. */
  readonly fullPauseMs?: number;
}

/**
 * Writes events in order, and returns once the service has written or rejected each of them. Repeats the call for as
 * long as the service cannot be reached, is overloaded or has no room; throws any other error.
 */
export async function writeEvents(
  client: Tastegraph,
  datasetId: string,
  events: readonly EventRecord[],
  { signal, log, fullPauseMs = defaultFullPauseMs }: WriteOptions,
): Promise<readonly Rejection[]> {
  const rejections: Rejection[] = [];
  let pending = events.map((event, index) => ({ event, index }));
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    const failures: ImportFailure<EventRecord>[] = [];
    try {
      await client.importEvents(
        datasetId,
        pending.map(({ event }) => event),
        { ...callLimits, concurrency: 1, signal, onFailure: (failure) => void failures.push(failure) },
      );
    } catch (error) {
      const cause = error instanceof ImportError ? error.cause : error;
      if (!isTransient(cause)) throw cause;
      log(`Cannot write events: ${(cause as Error).message} Trying again; no offset is committed meanwhile.`);
      await sleep(Math.min(maxPauseMs, 1000 * 2 ** Math.min(attempt - 1, 4)), undefined, { signal });
      continue;
    }
    const waiting: typeof pending = [];
    for (const { index, code, message } of failures) {
      const entry = pending[index];
      if (!entry) continue;
      if (code === 'DATASET_FULL') waiting.push(entry);
      else rejections.push({ index: entry.index, code, message });
    }
    pending = waiting;
    if (pending.length === 0) break;
    log(
      `Dataset ${datasetId} is full: ${pending.length} events wait. Raise its num_shards, or delete old events. Trying again in ${fullPauseMs / 1000} s.`,
    );
    await sleep(fullPauseMs, undefined, { signal });
  }
  return rejections;
}
