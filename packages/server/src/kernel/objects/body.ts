import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ObjectStoreError } from './error.ts';
import { type StepLimits, step } from './step.ts';
import type { ObjectBody, ObjectStore, StoredObject } from './store.ts';

interface RawBody {
  readonly key: string;
  /** The number of bytes that the stream must deliver. */
  readonly size: number;
  readonly raw: Readable;
  readonly expect: StoredObject | undefined;
  /** Turns an error of the store's stream into ours. */
  readonly explain: (error: unknown) => unknown;
}

/** Counts only the time in which the reader waits for the store. Missing or wrong bytes are an error, not an early end. */
export function watchBody(body: RawBody, limits: StepLimits): ObjectBody {
  const { raw, size } = body;
  const bytes = Readable.from(readChunks(body, limits), { objectMode: false });
  const { signal } = limits;
  const cancel = () => bytes.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', cancel);
  bytes.once('close', () => {
    signal?.removeEventListener('abort', cancel);
    // Not in a `finally` of the generator, which does not run if the generator was never started.
    raw.destroy();
  });
  // The only other listener is the loop below, which may not have started or may have ended.
  raw.on('error', () => undefined);
  return { size, bytes };
}

async function* readChunks(body: RawBody, limits: StepLimits): AsyncGenerator<Uint8Array, void, undefined> {
  const { key, raw, size, expect, explain } = body;
  const iterator = raw.iterator() as AsyncIterator<Uint8Array>;
  const hash = expect ? createHash('sha256') : undefined;
  let total = 0;
  for (;;) {
    const next = await step(limits, `reading ${key}`, () => iterator.next()).catch((error: unknown) => {
      throw explain(error);
    });
    if (next.done) break;
    total += next.value.byteLength;
    hash?.update(next.value);
    yield next.value;
  }
  if (total !== size) throw damaged(key, `read ${total} bytes, expected ${size}`);
  if (expect && hash?.digest('hex') !== expect.sha256) {
    throw damaged(key, `SHA-256 of the ${total} bytes read differs`);
  }
}

function damaged(key: string, why: string): ObjectStoreError {
  return new ObjectStoreError('damaged', `${key} is damaged: ${why}`);
}

/** Reads a whole object, verifies its size and hash, and returns it in memory that can be shared with threads. */
export async function readWhole(
  store: Pick<ObjectStore, 'read'>,
  key: string,
  { size, sha256 }: StoredObject,
  signal?: AbortSignal,
): Promise<Uint8Array<SharedArrayBuffer>> {
  const file = new Uint8Array(new SharedArrayBuffer(size));
  const { bytes } = await store.read(key, { expect: { size, sha256 }, signal });
  let at = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    file.set(chunk, at);
    at += chunk.length;
  }
  return file;
}
