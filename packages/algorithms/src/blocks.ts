import { crc32 } from './checksum.ts';
import { firstAddress, type KernelMemory, placeScratch, type Scratch } from './kernel-memory.ts';
import { kernels } from './kernels.ts';
import type { Executor, MemoryView, PlacedWindow, WindowedWork } from './parallel.ts';

/** A window of a kernel's work as another process gets it. Plain data; the bytes at its addresses travel separately. */
export interface Block {
  readonly kernel: string;
  /** The kernel's arguments: numbers and addresses. */
  readonly input: Readonly<Record<string, number>>;
  readonly count: number;
  /** The end of all arrays. */
  readonly end: number;
  readonly reads: readonly MemoryRange[];
  readonly writes: readonly MemoryRange[];
}

interface MemoryRange {
  readonly at: number;
  readonly bytes: number;
}

/** To be raised when the same code would compute a block differently, for instance with other arguments. */
const blockFormat = 1;

/** Only a process with the same version may compute a block. */
export const blockVersion = `${blockFormat}-${crc32(
  Uint8Array.from(kernels.flatMap(({ code }) => code ?? []).join(), (letter) => letter.charCodeAt(0)),
).toString(16)}`;

export function blockOf<Input extends Scratch>(
  { kernel, end }: WindowedWork<Input>,
  { input, count, reads, writes }: PlacedWindow<Input>,
): Block {
  const rangeOf = ({ byteOffset, byteLength }: MemoryView) => ({ at: byteOffset, bytes: byteLength });
  return {
    kernel: kernel.name,
    input: { ...input } as Record<string, number>,
    count,
    end,
    reads: reads.map(rangeOf),
    writes: writes.map(rangeOf),
  };
}

/** What all windows read: the same bytes at the same addresses in every process. */
export const sharedRange = (sharedEnd: number): MemoryRange => ({
  at: firstAddress,
  bytes: sharedEnd - firstAddress,
});

export const bytesAt = ({ memory }: KernelMemory, { at, bytes }: MemoryRange) =>
  new Uint8Array(memory.buffer, at, bytes);

export const sizeOf = (ranges: readonly MemoryRange[]) => ranges.reduce((sum, { bytes }) => sum + bytes, 0);

/** Computes a block in a memory that has the shared range and what the block reads; its writes are then in memory. */
export async function runBlock(memory: KernelMemory, block: Block, executor: Executor): Promise<void> {
  const kernel = kernels.find(({ name }) => name === block.kernel);
  if (!kernel) throw new Error(`No kernel is called ${block.kernel}`);
  for (const range of block.writes) bytesAt(memory, range).fill(0);
  memory.reserve(block.end);
  // Another process made the input for the kernel of this name, and its version is ours.
  await executor.run(kernel, { ...block.input, ...placeScratch(memory) } as never, block.count);
}
