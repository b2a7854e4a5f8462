import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../src/sha256.ts';

test('it is the SHA-256 of every text, of any length', () => {
  const reference = (text: string) => createHash('sha256').update(text).digest('hex');
  // Not the unit "binary", which spends seconds on a map of all code points.
  const code = fc.oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
  const texts = fc.string({ unit: code.map((each) => String.fromCodePoint(each)), maxLength: 300 });
  fc.assert(fc.property(texts, (text) => sha256(text) === reference(text)));
  for (const length of [0, 55, 56, 63, 64, 119, 120, 5000]) {
    const text = 'x'.repeat(length);
    expect(sha256(text)).toBe(reference(text));
  }
});
