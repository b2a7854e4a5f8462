/**
 * Collects chunks into one buffer that doubles when full. Chunks are copied because sockets reuse their memory, and copied on
 * arrival so that no single step copies a large body.
 */
export class ByteCollector {
  readonly #maxBytes: number;
  #bytes: Buffer;
  #length = 0;

  constructor(expectedBytes: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#bytes = Buffer.allocUnsafe(Math.min(expectedBytes, maxBytes));
  }

  get length(): number {
    return this.#length;
  }

  /** The caller checks that the chunk fits into `maxBytes`. */
  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  toBuffer(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, Math.min(2 * this.#bytes.length, this.#maxBytes)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
