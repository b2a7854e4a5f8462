import type { KernelMemory } from '../../kernels/kernel-memory.ts';

export const defaultWindowBytes = 2 ** 28;

/** Where a kernel's arrays are, and how much of its work is there at a time, beside the matrix. */
export interface WindowOptions {
  readonly memory?: KernelMemory;
  readonly windowBytes?: number;
}

/** Consecutive elements that are in a kernel's memory together. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** As few windows as possible, of at most `windowBytes` or one element each; about `minWindows` or more of similar size. */
export function cutWindows(
  count: number,
  bytesOf: (element: number) => number,
  windowBytes: number,
  minWindows = 1,
): Window[] {
  const limit = minWindows > 1 ? Math.ceil(sumOf({ from: 0, to: count }, bytesOf) / minWindows) : windowBytes;
  const maxBytes = Math.min(windowBytes, limit);
  const windows: Window[] = [];
  let from = 0;
  let bytes = 0;
  for (let element = 0; element < count; element++) {
    const own = bytesOf(element);
    if (element > from && bytes + own > maxBytes) {
      windows.push({ from, to: element });
      from = element;
      bytes = 0;
    }
    bytes += own;
  }
  if (count > 0) windows.push({ from, to: count });
  return windows;
}

/** The size of the largest window, which arrays for all of them need. */
export function largestOf(windows: readonly Window[], sizeOf: (window: Window) => number): number {
  return windows.reduce((largest, window) => Math.max(largest, sizeOf(window)), 0);
}

export function sumOf({ from, to }: Window, valueOf: (index: number) => number): number {
  let total = 0;
  for (let index = from; index < to; index++) total += valueOf(index);
  return total;
}
