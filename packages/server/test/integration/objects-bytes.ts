import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ObjectStore, StoredObject } from '../../src/storage/objects/store.ts';

const CHUNK_BYTES = 64 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** So many bytes that differ by seed and place, in chunks that come one after another; all in one buffer, to be no garbage. */
export async function* bytesOf(size: number, seed = 1): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = Buffer.alloc(CHUNK_BYTES, `seed ${seed}. `);
  for (let from = 0; from < size; from += CHUNK_BYTES) {
    chunk.writeDoubleLE(from, 0);
    yield chunk.subarray(0, Math.min(CHUNK_BYTES, size - from));
  }
}

/** What a store must say of them. */
export async function summaryOf(source: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of source) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hash.digest('hex') };
}

export async function textOf(store: ObjectStore, key: string): Promise<string> {
  const { bytes, size } = await store.read(key);
  const read = Buffer.concat((await bytes.toArray()) as Buffer[]);
  if (read.byteLength !== size) throw new Error(`${size} bytes were announced, ${read.byteLength} came`);
  return read.toString();
}

export function text(words: string): Uint8Array[] {
  return [Buffer.from(words)];
}

/** The most memory that buffers in use took while the work ran, over what they took before. */
export async function peakBytesOf(work: () => Promise<unknown>): Promise<number> {
  const inUse = () => {
    // Else it is the collector's mood that is measured.
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = inUse();
  let peak = before;
  let timer: NodeJS.Timeout | undefined;
  const sample = () => {
    const began = performance.now();
    peak = Math.max(peak, inUse());
    // Collecting has a fifth of the time, however long it takes on a busy machine: the work must go on.
    timer = setTimeout(sample, Math.max(100, 4 * (performance.now() - began)));
  };
  sample();
  try {
    await work();
  } finally {
    clearTimeout(timer);
  }
  return peak - before;
}
