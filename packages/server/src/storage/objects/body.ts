import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ObjectStoreError } from './error.ts';
import { type StepLimits, step } from './step.ts';
import type { ObjectBody, StoredObject } from './store.ts';

interface RawBody {
  readonly key: string;
  /** How many bytes must come. */
  readonly size: number;
  readonly raw: Readable;
  readonly expect: StoredObject | undefined;
  /** Of what the store's own stream throws, our error. */
  readonly explain: (error: unknown) => unknown;
}

/**
 * A store's stream, watched: time counts only while the reader waits for the store, not while the store waits for the reader;
 * bytes that are missing, or not those expected, are an error and not an early end.
 */
export function watchBody(body: RawBody, limits: StepLimits): ObjectBody {
  const { raw, size } = body;
  const bytes = Readable.from(readChunks(body, limits), { objectMode: false });
  const { signal } = limits;
  const cancel = () => bytes.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', cancel);
  bytes.once('close', () => {
    signal?.removeEventListener('abort', cancel);
    // Here and not in a `finally` of the generator, which one that was never started does not run.
    raw.destroy();
  });
  // Nobody listens to it but the loop below, which may not have begun, or may be over.
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
  if (total !== size) throw damaged(key, `${total} bytes came, not ${size}`);
  if (expect && hash?.digest('hex') !== expect.sha256) {
    throw damaged(key, `${expect.size} bytes were written, ${total} others came`);
  }
}

function damaged(key: string, why: string): ObjectStoreError {
  return new ObjectStoreError('damaged', `${key} is not what was written: ${why}`);
}
