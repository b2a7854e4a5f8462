/** The largest number of a packed vector. */
const packedMax = 127;

/**
 * A vector at one byte per number, relative to its largest: only its direction counts. Undefined if it has another
 * length, something that is no finite number, or nothing but zeros.
 */
export function packVector(value: unknown, length: number): Int8Array | undefined {
  if (value instanceof Int8Array) return value.length === length ? value : undefined;
  if (!Array.isArray(value) || value.length !== length) return undefined;
  let largest = 0;
  for (const one of value as unknown[]) {
    if (typeof one !== 'number' || !Number.isFinite(one)) return undefined;
    largest = Math.max(largest, Math.abs(one));
  }
  if (largest === 0) return undefined;
  const packed = new Int8Array(length);
  for (let place = 0; place < length; place++)
    packed[place] = Math.round(((value[place] as number) / largest) * packedMax);
  return packed;
}
