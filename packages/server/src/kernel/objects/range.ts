import { ObjectStoreError } from './error.ts';
import type { ByteRange } from './store.ts';

export function checkRange({ first, last }: ByteRange, size: number): void {
  const isValid = Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && first <= last;
  if (!isValid || last >= size)
    throw new ObjectStoreError(
      'refused',
      `Bytes ${first} to ${last} are not within the object's ${size} bytes.`,
    );
}

export function sizeOf({ first, last }: ByteRange): number {
  return last - first + 1;
}
