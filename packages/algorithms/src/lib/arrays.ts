/** All large data of a training is in shared memory: threads get the same memory, not a copy, and write to their own elements. */

export const sharedU8 = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
export const sharedI8 = (length: number) => new Int8Array(new SharedArrayBuffer(length));
export const sharedU16 = (length: number) => new Uint16Array(new SharedArrayBuffer(length * 2));
export const sharedU32 = (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4));
export const sharedF32 = (length: number) => new Float32Array(new SharedArrayBuffer(length * 4));
export const sharedF64 = (length: number) => new Float64Array(new SharedArrayBuffer(length * 8));

/** Turns counts, held in places 1…n, into offsets: where each of the n runs begins, and where the last ends. */
export function countsToOffsets(counts: Uint32Array): void {
  for (let index = 1; index < counts.length; index++) counts[index]! += counts[index - 1]!;
}

/** Of arrays that grow. Returns `to`. */
export function copyInto<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from);
  return to;
}
