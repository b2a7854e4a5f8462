/**
 * Arrays that threads can see at once. Everything large in a training lives in them: a worker thread is handed the
 * same memory, not a copy, and blocks write to places of their own.
 */

export const sharedU8 = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
export const sharedI8 = (length: number) => new Int8Array(new SharedArrayBuffer(length));
export const sharedU32 = (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4));
export const sharedF32 = (length: number) => new Float32Array(new SharedArrayBuffer(length * 4));

/** Turns counts, held in places 1…n, into the offsets at which each of the n runs begins (and the last ends). */
export function countsToOffsets(counts: Uint32Array): void {
  for (let index = 1; index < counts.length; index++) counts[index]! += counts[index - 1]!;
}
