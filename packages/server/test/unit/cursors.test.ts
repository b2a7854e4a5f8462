import { limits } from '@tastegraph/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from '../../src/kernel/lib/hashes.ts';
import { Cursors } from '../../src/serving/state/cursors.ts';
import { anyCodePoint } from './any-code-point.ts';

const cursors = new Cursors(Buffer.alloc(32, 7));
const code = expect.objectContaining({ code: 'INVALID_REQUEST' }) as Error;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => hashText(`item ${n}`));

describe('a cursor', () => {
  test('names the items that were shown, for its list only', () => {
    const shown = numbers(30);
    const cursor = cursors.seal('a list', shown) ?? '';
    expect(cursors.open('a list', cursor)).toEqual(new Set(shown));
    expect(() => cursors.open('another list', cursor)).toThrow(code);
    expect(() => new Cursors(Buffer.alloc(32, 8)).open('a list', cursor)).toThrow(code);
  });

  test('ends at the maximum, below which it fits its limit', () => {
    expect(cursors.seal('a list', numbers(limits.pagedItems))).toBeUndefined();
    const longest = cursors.seal('a list', numbers(limits.pagedItems - 1)) ?? '';
    expect(longest.length).toBeGreaterThan(0);
    expect(longest.length).toBeLessThanOrEqual(limits.cursorLength);
  });

  test('that was changed, or never was one, is refused', () => {
    const cursor = Buffer.from(cursors.seal('a list', numbers(5)) ?? '', 'base64url');
    const changed = fc.record({
      place: fc.nat({ max: cursor.length - 1 }),
      by: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(changed, ({ place, by }) => {
        const bytes = Buffer.from(cursor);
        bytes.writeUInt8(bytes.readUInt8(place) ^ by, place);
        expect(() => cursors.open('a list', bytes.toString('base64url'))).toThrow(code);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        expect(() => cursors.open('a list', text)).toThrow(code);
      }),
    );
  });
});

test('hashes of items do not collide in a large catalogue, and fit six bytes', () => {
  const hashes = new Set(numbers(200_000));
  expect(hashes.size).toBe(200_000);
  for (const hash of hashes) if (!(hash >= 0 && hash < 2 ** 48)) throw new Error(`${hash} does not fit`);
});
