import { hash } from 'node:crypto';

/** Bytes of a hash: as many as a number holds exactly. */
export const hashBytes = 6;
const range = 2 ** (8 * hashBytes);

/** A number from 0 up to but not 1: the first six bytes of SHA-256 of the text. Those of different texts are independent. */
export const uniformOf = (text: string): number =>
  hash('sha256', text, 'buffer').readUIntBE(0, hashBytes) / range;

/** A 48-bit hash for small sets: a text has the hash of one of 1,000 others with probability 4e-12. Not for secrets (cyrb53). */
export function hashText(text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0xffff) * 2 ** 32 + (low >>> 0);
}
