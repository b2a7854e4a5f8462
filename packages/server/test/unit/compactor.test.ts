import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFilter, type Filter } from '../../src/filters/compile-filter.ts';
import { Compactor } from '../../src/serving/catalogue/compactor.ts';
import { expressions } from './filter-expressions.ts';

const scalars = fc.oneof(fc.constantFrom('', 'a', 'Comedy', '😀', 0, 20, 3.5, true, null), fc.string());
/** Any JSON values, in attributes that the expressions name. */
const items = fc.dictionary(
  fc.constantFrom('price', 'stock', 'title', 'genres', 'ratings', 'restored', 'item_id', '__proto__'),
  fc.oneof(scalars, fc.array(scalars, { maxLength: 5 }), fc.jsonValue()),
);

/** Undefined for an expression that is refused. */
function compile(text: string): Filter | undefined {
  try {
    return compileFilter(text);
  } catch {
    return undefined;
  }
}

describe('compacted attributes', () => {
  test('match the same filters as before', () => {
    const compactor = new Compactor();
    fc.assert(
      fc.property(expressions.test, fc.array(items, { minLength: 1, maxLength: 8 }), (text, all) => {
        const filter = compile(text);
        fc.pre(filter !== undefined);
        for (const attributes of all) {
          const small = structuredClone(attributes);
          compactor.compact(small);
          expect(filter.matches(small, 'id')).toBe(filter.matches(attributes, 'id'));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('keep one byte per number of a vector, which no filter can read; other lists stay', () => {
    const compactor = new Compactor(['embedding']);
    const attributes = { embedding: Array.from({ length: 1000 }, (_, n) => n / 7), sizes: [1, 2.5] };
    expect(compactor.compact(attributes)).toBeLessThan(1500);
    expect(attributes.sizes).toEqual([1, 2.5]);
    expect(attributes.embedding).toBeInstanceOf(Int8Array);
    expect(compileFilter('size(item.embedding) == 1000').matches(attributes, 'id')).toBe(false);
    const wrong = { embedding: ['no', 'number'] };
    compactor.compact(wrong);
    expect(wrong.embedding).toBeNull();
  });

  test('share equal values, which are counted once', () => {
    const compactor = new Compactor();
    const [first, second] = [1, 2].map(() => ({ title: 'a title', genres: ['Comedy', 'Drama'] }));
    const bytes = [first, second].map((attributes) => compactor.compact(attributes ?? {}));
    expect(second?.genres).toBe(first?.genres);
    expect(bytes[1]).toBeLessThan(bytes[0] ?? 0);
  });

  test('are counted at any depth', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 5000; depth++) deep = [deep];
    expect(new Compactor().compact({ deep })).toBeGreaterThan(100_000);
  });
});
