import { ApiError } from '../api-error.ts';

interface ReadOptions {
  readonly maxBytes: number;
  /** The Content-Length header, if present. */
  readonly announcedBytes: number | undefined;
  /** Called with the bytes received so far. Throws to refuse them. */
  readonly reserve: (bytes: number) => void;
  /** The request is refused if nothing arrives for this long. */
  readonly stallMs: number;
}

/** The buffer initially reserved for an announced length is at most this large. */
const maxInitialBytes = 64 * 1024;

export async function readBody(
  payload: NodeJS.ReadableStream,
  { maxBytes, announcedBytes, reserve, stallMs }: ReadOptions,
): Promise<Buffer> {
  if (announcedBytes !== undefined && announcedBytes > maxBytes) throw tooLarge(maxBytes);
  return new Promise((resolve, reject) => {
    const initialBytes = Math.min(announcedBytes ?? 4096, maxInitialBytes);
    const collected = new ByteCollector(initialBytes, maxBytes, reserve);
    // Restarted by each chunk. The server's requestTimeout ends a body that arrives too slowly.
    const stall = setTimeout(() => {
      const message = `No data of the body arrived for ${stallMs / 1000} seconds. Send the request again.`;
      settle(new ApiError('INVALID_REQUEST', message));
    }, stallMs);
    const settle = (error?: Error) => {
      clearTimeout(stall);
      payload.off('data', onData);
      payload.off('end', settle);
      payload.off('error', settle);
      if (error) reject(error);
      else resolve(collected.toBuffer());
    };
    const onData = (chunk: Buffer) => {
      stall.refresh();
      try {
        collected.add(chunk);
      } catch (error) {
        settle(error as Error);
      }
    };
    payload.on('data', onData);
    payload.on('end', settle);
    payload.on('error', settle);
    payload.resume();
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    'BODY_TOO_LARGE',
    `The body is larger than ${maxBytes} bytes, the limit of this operation. Send less data per call.`,
  );
}

/** One buffer that doubles when full. Chunks are copied on arrival: sockets reuse their memory, and no step copies a large body. */
export class ByteCollector {
  readonly #maxBytes: number;
  readonly #reserve: (bytes: number) => void;
  #bytes: Buffer;
  #length = 0;

  /** `reserve` is called with the bytes collected so far, and throws to refuse them. */
  constructor(expectedBytes: number, maxBytes: number, reserve: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
    this.#bytes = Buffer.allocUnsafe(Math.min(expectedBytes, maxBytes));
  }

  get length(): number {
    return this.#length;
  }

  /** Throws beyond `maxBytes`. */
  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.#reserve(length);
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
