import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ObjectStore, StoredObject } from '../../../src/kernel/objects/store.ts';

const CHUNK_BYTES = 64 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that depend on seed and position, in chunks. All chunks share one buffer, so that they cause no garbage. */
export async function* bytesOf(size: number, seed = 1): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = Buffer.alloc(CHUNK_BYTES, `seed ${seed}. `);
  for (let from = 0; from < size; from += CHUNK_BYTES) {
    chunk.writeDoubleLE(from, 0);
    yield chunk.subarray(0, Math.min(CHUNK_BYTES, size - from));
  }
}

/** What a store must report for them. */
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

/** The peak memory of live buffers while the work ran, above the level before. */
export async function peakBytesOf(work: () => Promise<unknown>): Promise<number> {
  const inUse = () => {
    // Without this, garbage is measured too.
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = inUse();
  let peak = before;
  let timer: NodeJS.Timeout | undefined;
  const sample = () => {
    const began = performance.now();
    peak = Math.max(peak, inUse());
    // Spends at most a fifth of the time on collection, so that the work goes on even on a busy machine.
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
