import { type Block, bytesAt, type KernelMemory } from '@tastegraph/algorithms';
import type { ObjectStore } from '../../../storage/objects/store.ts';
import type { BlockObject } from '../../../storage/postgres/training-blocks.ts';

type Ranges = Block['reads'];

/** Small enough to copy and to hash between two messages, large enough for few writes. */
const chunkBytes = 2 ** 20;

/** The bytes at these addresses. Copies chunks: a hash cannot read shared memory. */
export function* chunksOf(memory: KernelMemory, ranges: Ranges): Generator<Uint8Array, void> {
  for (const range of ranges) {
    const bytes = bytesAt(memory, range);
    for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.slice(from, from + chunkBytes);
  }
}

/** Reads an object to these addresses, one range after the other. Throws if its size or its checksum is wrong. */
export async function loadRanges(
  store: Pick<ObjectStore, 'read'>,
  { object_key, size, sha256 }: BlockObject,
  memory: KernelMemory,
  ranges: Ranges,
  signal: AbortSignal,
): Promise<void> {
  const { bytes } = await store.read(object_key, { expect: { size, sha256 }, signal });
  const targets = ranges.map((range) => bytesAt(memory, range));
  let target = targets.shift();
  let at = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length; ) {
      while (target && at === target.length) [target, at] = [targets.shift(), 0];
      if (!target) throw new Error(`${object_key} is longer than what it is for`);
      const part = chunk.subarray(from, from + target.length - at);
      target.set(part, at);
      at += part.length;
      from += part.length;
    }
  }
}
