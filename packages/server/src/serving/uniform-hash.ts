import { hash } from 'node:crypto';

/** Six bytes: as many as a number holds exactly. */
const bytes = 6;
const range = 2 ** (8 * bytes);

/** A number from 0 up to but not 1: the first six bytes of SHA-256 of the text. Those of different texts are independent. */
export const uniformOf = (text: string): number =>
  hash('sha256', text, 'buffer').readUIntBE(0, bytes) / range;
