import type { KernelMemory, Scratch } from './kernel-memory.ts';

/**
 * A kernel is prepared once per thread (its scratch memory), then run over blocks of a range. What it writes for one
 * element does not depend on other elements, so any number of threads and any blocks give the same bytes.
 */
export interface Kernel<Input> {
  readonly name: string;
  /** Its WebAssembly, if that is all that computes: the same code gives the same bytes on every machine. */
  readonly code?: string;
  readonly prepare: (input: Input) => (from: number, to: number) => void;
}

/**
 * Runs kernels in this thread or in others. `input` consists of numbers and arrays in shared memory. Resolves when
 * every element from 0 to `count` is done.
 */
export interface Executor {
  run<Input extends object>(kernel: Kernel<Input>, input: Input, count: number): Promise<void>;
  /** Frees shared memory that nothing refers to any more. Without it, threads may keep it until they end. */
  release?(): Promise<void>;
  /** Present if other processes may compute a part of it. */
  readonly sharing?: Sharing;
}

/**
 * Work of a kernel that is cut into windows, of which one at a time is in memory. Windows do not depend on each other,
 * so that they can be computed in any order, and in another process that has the same bytes at the same addresses.
 */
export interface WindowedWork<Input extends Scratch> {
  readonly kernel: Kernel<Input>;
  readonly memory: KernelMemory;
  /** What all windows read is before this address and does not change; the arrays of one window are after it. */
  readonly sharedEnd: number;
  /** The end of all arrays. */
  readonly end: number;
  /** Scratch memory after them, per thread. */
  readonly threadBytes: number;
  readonly windows: number;
  /** How many cells of the matrix it reads, in all windows: how large it is. */
  readonly cells: number;
  /**
   * Puts the arrays of a window into memory. All windows use the same memory: finish with one (run or copy it, and take
   * it) before you place the next.
   */
  place(window: number): Promise<PlacedWindow<Input>>;
  /** Copies the results of a window out of memory: what it writes is there. */
  take(window: number): Promise<void>;
}

export interface PlacedWindow<Input extends Scratch> {
  readonly input: Omit<Input, keyof Scratch>;
  readonly count: number;
  /** What the kernel reads of this window, in memory. */
  readonly reads: readonly MemoryView[];
  /** What it writes. Zero before it runs. */
  readonly writes: readonly MemoryView[];
}

/** An array in a kernel's memory. */
export type MemoryView = Uint32Array<SharedArrayBuffer> | Float32Array<SharedArrayBuffer>;

/** Computes windows in any order and in any process. The results are the same to the byte. */
export interface Sharing {
  /** Into how many windows work on this many cells of a matrix is cut, at least: enough for all to have some. */
  minWindows(cells: number): number;
  run<Input extends Scratch>(work: WindowedWork<Input>): Promise<void>;
}

/** Runs everything in this thread, one element after the other. */
export const sequential: Executor = {
  run: (kernel, input, count) => {
    kernel.prepare(input)(0, count);
    return Promise.resolve();
  },
};
