import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfPrefix } from '../../src/datasets/rows/record-reads.ts';
import { anyCodePoint } from './any-code-point.ts';

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

describe('endOfPrefix', () => {
  const parts = ['a', 'b', '%', '_', '\\', '\u007e', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'];
  const text = fc
    .array(
      fc.oneof(fc.constantFrom(...parts), fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 1 })),
      {
        maxLength: 4,
      },
    )
    .map((pieces) => pieces.join(''));

  test('separates the IDs with the prefix from all greater ones', () => {
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        const end = endOfPrefix(prefix);
        expect(end.isWellFormed()).toBe(true);
        const isInRange = (id: string) => !isBefore(id, prefix) && isBefore(id, end);
        expect(isInRange(prefix + rest)).toBe(true);
        expect(isInRange(rest)).toBe(rest.startsWith(prefix));
      }),
      { numRuns: 5000 },
    );
  });

  test('of nothing, or of the greatest characters only, is greater than every ID', () => {
    const greatest = '\u{10ffff}'.repeat(256);
    for (const prefix of ['', '\u{10ffff}', greatest])
      expect(isBefore(greatest, endOfPrefix(prefix))).toBe(true);
  });
});
