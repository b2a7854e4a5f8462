import { ObjectStoreError } from './error.ts';
import type { ByteRange } from './store.ts';

export function checkRange({ first, last }: ByteRange, size: number): void {
  const isSound = Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && first <= last;
  if (!isSound || last >= size)
    throw new ObjectStoreError('refused', `Of ${size} bytes there are none from ${first} to ${last}.`);
}

export function sizeOf({ first, last }: ByteRange): number {
  return last - first + 1;
}
