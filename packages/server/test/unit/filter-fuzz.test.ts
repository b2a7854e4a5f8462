import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFilter, type Filter } from '../../src/filters/compile-filter.ts';
import { ApiError } from '../../src/http/api-error.ts';
import { expressions, garbage, heavyItem, mutated, nested } from './filter-expressions.ts';
import { fuzzRuns } from './fuzz-runs.ts';

const items: readonly Readonly<Record<string, unknown>>[] = [
  {},
  {
    price: 12.5,
    stock: 3,
    title: 'The Apartment',
    restored: true,
    genres: ['Comedy', 'Drama'],
    ratings: [7, 8.5],
  },
  { price: '12', stock: [1], title: 4, restored: 'yes', genres: 'Comedy', ratings: null, item_id: 7 },
  { price: -0, title: 'a😀\ud800', genres: [], ratings: [null, { a: 1 }, [1]], 'release date': '1960' },
];

/** Many times the worst case, in milliseconds of this thread's CPU time, since the machine may be busy. */
const maxMs = 60;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Fails only after three slow runs: one may be due to the compiler or the garbage collector. */
function withinTime<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const start = cpuMs();
    const result = work();
    const took = cpuMs() - start;
    if (took <= maxMs) return result;
    if (attempt === 3) throw new Error(`took ${took} ms`);
  }
}

function compiled(text: string): Filter | undefined {
  return withinTime(() => {
    try {
      return compileFilter(text);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INVALID_REQUEST') return undefined;
      throw error;
    }
  });
}

/** How many of these texts are valid filters. No text throws or takes long. */
function fuzz(texts: fc.Arbitrary<string>, numRuns: number, on: typeof items): number {
  let usable = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const filter = compiled(text);
      if (filter === undefined) return;
      usable++;
      for (const item of on) {
        const answer = withinTime(() => filter.matches(item, 'f1'));
        if (typeof answer !== 'boolean' || answer !== filter.matches(item, 'f1')) throw new Error('unsteady');
      }
    }),
    { numRuns },
  );
  return usable;
}

/** Far more than needed: the machine may be shared. */
const timeout = 120_000;

describe('a text is compiled or refused, not slowly and without an exception', { timeout }, () => {
  test('expressions', () => {
    expect(fuzz(expressions.test, fuzzRuns * 0.4, items)).toBeGreaterThan(fuzzRuns * 0.2);
  });

  test('mutated expressions', () => {
    expect(fuzz(mutated, fuzzRuns * 0.3, items)).toBeGreaterThan(fuzzRuns * 0.01);
  });

  test('garbage', () => {
    fuzz(garbage, fuzzRuns * 0.25, items);
  });

  test('nested expressions, on items that make them expensive', () => {
    expect(fuzz(nested, fuzzRuns * 0.05, [heavyItem])).toBeGreaterThan(fuzzRuns * 0.005);
  });
});
