import { createHash } from 'node:crypto';
import { unlessAborted } from './step.ts';
import type { ByteSource, Limits, StoredObject } from './store.ts';

/** Cuts a source into blocks of one size (the last may be smaller): few writes for many small chunks, one block of memory. */
export class Blocks {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #signal: AbortSignal | undefined;
  readonly #hash = createHash('sha256');
  #total = 0;

  constructor(source: ByteSource, size: number, { signal }: Limits) {
    this.#source = source;
    this.#size = size;
    this.#signal = signal;
  }

  /** Blocks share one buffer: finish with a block before you ask for the next. An empty source yields none. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    // Outside Buffer's pool, and not zero-filled: only bytes that were copied in are handed out.
    let block: Buffer | undefined;
    let filled = 0;
    for await (const chunk of this.#chunks()) {
      this.#hash.update(chunk);
      this.#total += chunk.byteLength;
      for (let from = 0; from < chunk.byteLength; ) {
        block ??= Buffer.allocUnsafeSlow(this.#size);
        const part = chunk.subarray(from, from + this.#size - filled);
        block.set(part, filled);
        from += part.byteLength;
        filled += part.byteLength;
        if (filled < this.#size) continue;
        yield block;
        filled = 0;
      }
    }
    if (block && filled > 0) yield block.subarray(0, filled);
  }

  /** Size and hash of everything read. Call once, at the end. */
  finish(): StoredObject {
    return { size: this.#total, sha256: this.#hash.digest('hex') };
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator =
      Symbol.asyncIterator in this.#source
        ? this.#source[Symbol.asyncIterator]()
        : this.#source[Symbol.iterator]();
    let ended = false;
    try {
      for (;;) {
        const next = await unlessAborted(this.#signal, Promise.resolve(iterator.next()));
        ended = next.done === true;
        if (next.done) return;
        yield next.value;
      }
    } finally {
      // Not awaited: a source that hangs in next() would hang in return() too.
      if (!ended) void Promise.resolve(iterator.return?.()).catch(() => undefined);
    }
  }
}
