import type { Clock } from '../clock.ts';
import { abortable } from '../deadline.ts';
import { checkMaxRetries, checkTimeout } from '../options.ts';
import { Batch } from './batch.ts';
import type { ImportKind, UpsertResponse } from './kinds.ts';
import { ImportError, type ImportOptions, type ImportReport } from './report.ts';
import { type SendBatch, sendWithSplitting } from './send-with-splitting.ts';

/**
 * Any number of records. The import reads it no faster than the service accepts records. An async source can also
 * yield arrays of records, which is cheaper than yielding them one by one.
 */
export type RecordSource<R> = Iterable<R> | AsyncIterable<R | readonly R[]>;

/** Keeps a service on a few cores busy while the next batches are read and compressed. */
const defaultConcurrency = 4;
/** A call should survive an outage, rather than end an import that has run for hours. */
const defaultTimeoutMs = 120_000;
const defaultMaxRetries = 10;

/** The state of a sent batch, without its records, which are released as soon as they are acknowledged. */
interface SentBatch {
  readonly end: number;
  acknowledged: boolean;
  /** Resolves when its call has succeeded or failed. */
  settled: Promise<void>;
}

/** How far an import runs ahead of the first unacknowledged batch, in multiples of `concurrency`: if it fails, all of that is sent again. */
const maxRunahead = 16;

/**
 * One import. It reads batches from the source in order. At most `concurrency` of them are in flight while it reads one
 * more. A batch that shares an ID with a batch in flight waits for it, and all later batches wait too, so that the last
 * record with an ID wins.
 */
export class RecordImport<R> {
  readonly #kind: ImportKind<R>;
  readonly #send: SendBatch;
  readonly #options: ImportOptions<R>;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #concurrency: number;
  readonly #inFlight = new Set<Promise<void>>();
  /** Per ID in flight, the end of its batch. */
  readonly #inFlightIds = new Map<string, Promise<void>>();
  /** Batches from the first unacknowledged one, in the order of the source. */
  readonly #unacknowledged: SentBatch[] = [];
  /** Stops the reading: the caller aborted, or a call failed. */
  readonly #stop = new AbortController();
  #failure: { cause: unknown } | undefined;
  #acknowledged = 0;
  #bytes = 0;
  readonly #counts = { sent: 0, succeeded: 0, failed: 0, replaced: 0 };

  constructor(kind: ImportKind<R>, send: SendBatch, options: ImportOptions<R>, clock: Clock) {
    this.#kind = kind;
    this.#send = send;
    this.#options = options;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#concurrency = options.concurrency ?? defaultConcurrency;
    if (!(this.#concurrency >= 1)) throw new TypeError('concurrency must be at least 1.');
    checkTimeout(options.timeoutMs ?? defaultTimeoutMs);
    checkMaxRetries(options.maxRetries ?? defaultMaxRetries);
  }

  async run(source: RecordSource<R>): Promise<ImportReport> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const onAbort = () => this.#stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const batch of this.#readBatches(source)) await this.#start(batch);
    } catch (error) {
      this.#fail(error);
    } finally {
      await Promise.all(this.#inFlight);
      signal?.removeEventListener('abort', onAbort);
    }
    const report = { ...this.#counts };
    if (!this.#failure) return report;
    signal?.throwIfAborted();
    throw new ImportError(this.#kind.operation, this.#acknowledged, report, this.#failure.cause);
  }

  async *#readBatches(source: RecordSource<R>): AsyncGenerator<Batch<R>, void, undefined> {
    let batch = new Batch<R>(0, this.#kind.idField);
    for await (const records of readPieces(source, this.#stop.signal))
      for (const record of records) {
        if (!batch.add(record)) {
          yield batch;
          batch = new Batch<R>(batch.end, this.#kind.idField);
          batch.add(record);
        }
        if (batch.isFull) {
          yield batch;
          batch = new Batch<R>(batch.end, this.#kind.idField);
        }
      }
    if (!batch.isEmpty) yield batch;
  }

  /** Returns when the batch is in flight. */
  async #start(batch: Batch<R>): Promise<void> {
    for (;;) {
      // Checked each time, because a failed batch stays unacknowledged.
      this.#stop.signal.throwIfAborted();
      const before = this.#blockerOf(batch);
      if (!before) break;
      await before;
    }
    const sent: SentBatch = { end: batch.end, acknowledged: false, settled: Promise.resolve() };
    this.#unacknowledged.push(sent);
    const done = this.#sendBatch(batch, sent)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#inFlight.delete(done);
        for (const id of batch.ids) this.#inFlightIds.delete(id);
      });
    sent.settled = done;
    this.#inFlight.add(done);
    for (const id of batch.ids) this.#inFlightIds.set(id, done);
  }

  #blockerOf(batch: Batch<R>): Promise<void> | undefined {
    // Cheap checks first; IDs are compared only if the batch could start.
    if (this.#inFlight.size >= this.#concurrency) return Promise.race(this.#inFlight);
    if (this.#unacknowledged.length >= maxRunahead * this.#concurrency)
      return this.#unacknowledged[0]?.settled;
    for (const id of batch.ids) {
      const end = this.#inFlightIds.get(id);
      if (end) return end;
    }
    return undefined;
  }

  async #sendBatch(batch: Batch<R>, sent: SentBatch): Promise<void> {
    const { onFailure, signal, timeoutMs = defaultTimeoutMs, maxRetries = defaultMaxRetries } = this.#options;
    const response = await sendWithSplitting(this.#send, batch.texts, {
      timeoutMs,
      maxRetries,
      ...(signal && { signal }),
    });
    if (onFailure) for (const failure of failuresOf(batch, response)) await onFailure(failure);
    this.#count(batch, response);
    sent.acknowledged = true;
    this.#acknowledge();
    this.#report();
  }

  #count(batch: Batch<R>, { succeed_ids, failed_count }: UpsertResponse): void {
    const counts = this.#counts;
    counts.sent += batch.records.length + batch.unsendable.length;
    counts.succeeded += succeed_ids.length;
    counts.failed += failed_count + batch.unsendable.length;
    counts.replaced += batch.records.length - succeed_ids.length - failed_count;
    this.#bytes += batch.bytes;
  }

  #acknowledge(): void {
    const before = this.#acknowledged;
    while (this.#unacknowledged[0]?.acknowledged)
      this.#acknowledged = this.#unacknowledged.shift()?.end ?? this.#acknowledged;
    if (this.#acknowledged > before) this.#options.onAcknowledged?.(this.#acknowledged);
  }

  #report(): void {
    const { sent: records, failed } = this.#counts;
    const seconds = Math.max(1, this.#clock.now() - this.#startedAt) / 1000;
    this.#options.onProgress?.({ records, failed, bytes: this.#bytes, perSecond: records / seconds });
  }

  /** Only the first failure is reported; calls in flight are left to finish. */
  #fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#stop.abort(cause);
  }
}

function* failuresOf<R>(batch: Batch<R>, { failures }: UpsertResponse) {
  yield* batch.unsendable;
  // The index in the response is that within the call.
  for (const { index: callIndex, id, code, message } of failures) {
    const record = batch.records[callIndex] as R;
    yield { record, index: batch.indexes[callIndex] as number, id: id ?? batch.idOf(record), code, message };
  }
}

/** Reads the source until the signal aborts, also while waiting for it. Closes it without waiting: the source may never respond. */
async function* readPieces<R>(
  source: RecordSource<R>,
  signal: AbortSignal,
): AsyncGenerator<Iterable<R>, void, undefined> {
  // A synchronous source is one piece: there is nothing to wait for, and the signal is checked between batches.
  if (!(Symbol.asyncIterator in source)) return yield source;
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done) {
        isDone = true;
        return;
      }
      yield Array.isArray(next.value) ? (next.value as readonly R[]) : [next.value as R];
    }
  } finally {
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
