import type { Clock } from '../clock.ts';
import { abortable } from '../deadline.ts';
import { checkMaxRetries, checkTimeout } from '../options.ts';
import { Batch } from './batch.ts';
import type { ImportKind, UpsertAnswer } from './kinds.ts';
import { ImportError, type ImportOptions, type ImportReport } from './report.ts';
import { type SendBatch, sendInParts } from './send-in-parts.ts';

/**
 * Records of any number, one after the other. It is read no faster than the service takes them. An asynchronous
 * source may also yield several at once, as an array: that costs less than a promise for each.
 */
export type RecordSource<R> = Iterable<R> | AsyncIterable<R | readonly R[]>;

/** As many as keep a service on a few cores busy, while the next batches are read and compressed. */
const defaultConcurrency = 4;
/** A call that meets an outage should outlast it rather than end an import of hours. */
const defaultTimeoutMs = 120_000;
const defaultMaxRetries = 10;

/** Outlives its batch, so that the records are let go as soon as they are answered for. */
interface Stretch {
  readonly end: number;
  answered: boolean;
  /** When its call has ended, in whatever way. */
  ended: Promise<void>;
}

/**
 * How many times `concurrency` batches may be started from the first that is not answered for. A call that is retried for long
 * is not left behind without limit: what is answered after it would be sent again by whoever goes on from there.
 */
const stretchesPerCall = 16;

/**
 * One import. Batches are cut from the source in order, and at most `concurrency` of them are under way; one more
 * is read meanwhile. A batch that shares an id with one under way waits for it, and all that follow wait behind
 * it, so that of records with the same id the later one stays.
 */
export class RecordImport<R> {
  readonly #kind: ImportKind<R>;
  readonly #send: SendBatch;
  readonly #options: ImportOptions<R>;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #concurrency: number;
  readonly #underWay = new Set<Promise<void>>();
  /** For each id that is under way, the end of its batch. */
  readonly #ends = new Map<string, Promise<void>>();
  /** What was started from the first that is not answered for, in the order of the source. */
  readonly #unacknowledged: Stretch[] = [];
  /** Ends the reading: the caller aborted, or something failed. */
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
    if (!(this.#concurrency >= 1)) throw new TypeError('concurrency must be a number of 1 or more.');
    checkTimeout(options.timeoutMs ?? defaultTimeoutMs);
    checkMaxRetries(options.maxRetries ?? defaultMaxRetries);
  }

  async run(source: RecordSource<R>): Promise<ImportReport> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const onAbort = () => this.#stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const batch of this.#cut(source)) await this.#start(batch);
    } catch (error) {
      this.#fail(error);
    } finally {
      await Promise.all(this.#underWay);
      signal?.removeEventListener('abort', onAbort);
    }
    const report = { ...this.#counts };
    if (!this.#failure) return report;
    signal?.throwIfAborted();
    throw new ImportError(this.#kind.operation, this.#acknowledged, report, this.#failure.cause);
  }

  async *#cut(source: RecordSource<R>): AsyncGenerator<Batch<R>, void, undefined> {
    let batch = new Batch<R>(0, this.#kind.idField);
    for await (const records of piecesOf(source, this.#stop.signal))
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

  /** Returns when the batch is under way. */
  async #start(batch: Batch<R>): Promise<void> {
    for (;;) {
      // Each time: what failed stays in the way.
      this.#stop.signal.throwIfAborted();
      const before = this.#inTheWayOf(batch);
      if (!before) break;
      await before;
    }
    const stretch: Stretch = { end: batch.end, answered: false, ended: Promise.resolve() };
    this.#unacknowledged.push(stretch);
    const done = this.#carryOut(batch, stretch)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#underWay.delete(done);
        for (const id of batch.ids) this.#ends.delete(id);
      });
    stretch.ended = done;
    this.#underWay.add(done);
    for (const id of batch.ids) this.#ends.set(id, done);
  }

  #inTheWayOf(batch: Batch<R>): Promise<void> | undefined {
    // First what costs nothing: ids are compared once there is room.
    if (this.#underWay.size >= this.#concurrency) return Promise.race(this.#underWay);
    if (this.#unacknowledged.length >= stretchesPerCall * this.#concurrency)
      return this.#unacknowledged[0]?.ended;
    for (const id of batch.ids) {
      const end = this.#ends.get(id);
      if (end) return end;
    }
    return undefined;
  }

  async #carryOut(batch: Batch<R>, stretch: Stretch): Promise<void> {
    const { onFailure, signal, timeoutMs = defaultTimeoutMs, maxRetries = defaultMaxRetries } = this.#options;
    const answer = await sendInParts(this.#send, batch.texts, {
      ...{ timeoutMs, maxRetries },
      ...(signal && { signal }),
    });
    if (onFailure) for (const failure of failuresOf(batch, answer)) await onFailure(failure);
    this.#count(batch, answer);
    stretch.answered = true;
    this.#acknowledge();
    this.#report();
  }

  #count(batch: Batch<R>, { succeed_ids, failures }: UpsertAnswer): void {
    const counts = this.#counts;
    counts.sent += batch.records.length + batch.unsendable.length;
    counts.succeeded += succeed_ids.length;
    counts.failed += failures.length + batch.unsendable.length;
    counts.replaced += batch.records.length - succeed_ids.length - failures.length;
    this.#bytes += batch.bytes;
  }

  #acknowledge(): void {
    const before = this.#acknowledged;
    while (this.#unacknowledged[0]?.answered)
      this.#acknowledged = this.#unacknowledged.shift()?.end ?? this.#acknowledged;
    if (this.#acknowledged > before) this.#options.onAcknowledged?.(this.#acknowledged);
  }

  #report(): void {
    const { sent: records, failed } = this.#counts;
    const seconds = Math.max(1, this.#clock.now() - this.#startedAt) / 1000;
    this.#options.onProgress?.({ records, failed, bytes: this.#bytes, perSecond: records / seconds });
  }

  /** The first failure is the one to tell; what is under way is left to end by itself. */
  #fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#stop.abort(cause);
  }
}

function* failuresOf<R>(batch: Batch<R>, { failures }: UpsertAnswer) {
  yield* batch.unsendable;
  // The answer's index is the place in the call.
  for (const { index: place, id, code, message } of failures) {
    const record = batch.records[place] as R;
    yield { record, index: batch.indexes[place] as number, id: id ?? batch.idOf(record), code, message };
  }
}

/**
 * The source's records as they come; when the signal comes, its reason is thrown at once, even while the source is
 * being waited for. The source is closed in any case, but not waited for then: it may never answer.
 */
async function* piecesOf<R>(
  source: RecordSource<R>,
  signal: AbortSignal,
): AsyncGenerator<Iterable<R>, void, undefined> {
  // Nobody waits for its records: it is one piece, and what cuts it into batches looks at the signal between them.
  if (!(Symbol.asyncIterator in source)) return yield source;
  const iterator = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done) {
        ended = true;
        return;
      }
      yield Array.isArray(next.value) ? (next.value as readonly R[]) : [next.value as R];
    }
  } finally {
    if (!ended) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
