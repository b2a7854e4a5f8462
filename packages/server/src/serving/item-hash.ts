/** Bytes of a hash. */
export const hashBytes = 6;

/**
 * A 48-bit hash of an item's ID, for sets that must be small. The probability that another item has the hash of one of
 * 1,000 items is 4e-12. Not for secrets: two rounds of multiply and xor (cyrb53).
 */
export function hashItem(id: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let place = 0; place < id.length; place++) {
    const unit = id.charCodeAt(place);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0xffff) * 2 ** 32 + (low >>> 0);
}
