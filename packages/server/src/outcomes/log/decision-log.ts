import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import { decisionsDropped, decisionsLogged, decisionsUnwritten, oldestUnwritten } from '../metrics.ts';
import { type Batch, DecisionBuffer } from './buffer.ts';
import type { LoggedAnswer } from './columns.ts';
import { lineOf } from './decision.ts';
import { newBatchKey } from './keys.ts';

/** With the time to encode and write, an answer is in the store within 5 s. */
const flushMs = 3000;
/** A busy process writes sooner, so that joining the lines never delays calls. */
const flushLength = 4 * 2 ** 20;
/** The answers of about a minute at full rate, while the store is unavailable. As much again may be in flight. */
const maxLength = 64 * 2 ** 20;
const retryMs = 1000;
/** A batch has at most `maxLength`; this ends a write that hangs. */
const writeMs = 60_000;

interface DecisionLogContext {
  readonly store: Pick<ObjectStore, 'put'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly maxLength?: number;
}

/** Writes answers in batches, within 5 s unless the store is unavailable. A process that is killed loses what is not written. */
export class DecisionLog {
  readonly #context: DecisionLogContext;
  readonly #buffer: DecisionBuffer;
  readonly #encoder = new BatchEncoder();
  readonly #closing = new AbortController();
  readonly #loop: Promise<void>;
  /** Ends the current pause of the loop. */
  #wake = new AbortController();
  #inFlight: Batch | undefined;

  constructor(context: DecisionLogContext) {
    const { metrics } = context;
    this.#context = context;
    this.#buffer = new DecisionBuffer(context.maxLength ?? maxLength);
    metrics.watch(decisionsUnwritten, () => this.unwritten);
    metrics.watch(oldestUnwritten, () => {
      const now = Date.now();
      return Math.max(0, (now - Math.min(this.#buffer.firstTs, this.#inFlight?.firstTs ?? now)) / 1000);
    });
    this.#loop = this.#run();
  }

  /** Answers that are not in the store yet. */
  get unwritten(): number {
    return this.#buffer.count + (this.#inFlight?.answers ?? 0);
  }

  /** Takes a few microseconds. */
  add(answer: LoggedAnswer): void {
    const dropped = this.#buffer.add(answer.account_id, lineOf(answer), answer.ts);
    if (dropped > 0) this.#context.metrics.add(decisionsDropped, {}, dropped);
    if (this.#buffer.length >= flushLength) this.#wake.abort();
  }

  /** Writes what is left. The caller bounds the time. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake.abort();
    await this.#loop;
    await this.#encoder.close();
  }

  async #run(): Promise<void> {
    const isClosing = () => this.#closing.signal.aborted;
    while (!isClosing()) {
      await sleep(flushMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      this.#wake = new AbortController();
      await this.#flush();
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const { log, metrics } = this.#context;
    const batch = this.#buffer.take();
    if (!batch) return;
    const { answers } = batch;
    this.#inFlight = batch;
    try {
      await this.#write(batch, await this.#encoder.encode(batch.text));
      metrics.add(decisionsLogged, {}, answers);
    } catch (error) {
      // Encoding it again would fail again.
      metrics.add(decisionsDropped, {}, answers);
      log.error({ err: error, answers }, 'failed to encode answers for the decision log');
    }
    this.#inFlight = undefined;
  }

  /** Retries until it succeeds. Meanwhile, new answers wait in the buffer, which drops what does not fit. */
  async #write({ answers, firstTs, lastTs }: Batch, bytes: Uint8Array): Promise<void> {
    const { store, log } = this.#context;
    // The same for all attempts: an attempt that failed may have written the object.
    const key = newBatchKey(firstTs, lastTs);
    for (;;) {
      try {
        await store.put(key, [bytes], { signal: AbortSignal.timeout(writeMs) });
        return;
      } catch (error) {
        log.warn({ err: error, answers }, 'failed to write answers to the decision log; will retry');
        await sleep(retryMs);
      }
    }
  }
}

/** What the thread returns for a batch. */
export type Encoded = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly error: string };

/** Encodes batches as Parquet, one at a time, in a thread: 10,000 answers of 20 items take 400 ms. Starts the thread when it is needed. */
class BatchEncoder {
  #thread: Worker | undefined;

  async encode(text: string): Promise<Uint8Array> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const encoded = await new Promise<Encoded>((resolve, reject) => {
      const end = () => reject(new Error('the thread that encodes the decision log ended'));
      thread.once('exit', end);
      thread.once('message', (message: Encoded) => {
        thread.off('exit', end);
        resolve(message);
      });
      thread.postMessage(text);
    });
    if ('error' in encoded) throw new Error(encoded.error);
    return encoded.bytes;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./encode-thread.ts', import.meta.url));
    // The next batch starts another one.
    const forget = () => {
      this.#thread = undefined;
    };
    thread.once('exit', forget);
    thread.once('error', forget);
    // The process may end while the thread waits for a batch.
    thread.unref();
    return thread;
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }
}
