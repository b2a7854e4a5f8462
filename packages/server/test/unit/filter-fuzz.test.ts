import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/domain/fault.ts';
import { compileFilter, type Filter } from '../../src/serving/filter/compile-filter.ts';
import { expressions, garbage, heavyItem, mutated, nested } from './filter-expressions.ts';

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

/** More than twice what the worst takes, in milliseconds of this thread's own time: the machine may be busy. */
const mostMs = 20;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Fails only if it is slow three times over: once may be the compiler or the garbage collector. */
function withinTime<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const start = cpuMs();
    const result = work();
    const took = cpuMs() - start;
    if (took <= mostMs) return result;
    if (attempt === 3) throw new Error(`took ${took} ms`);
  }
}

function compiled(text: string): Filter | undefined {
  return withinTime(() => {
    try {
      return compileFilter(text);
    } catch (error) {
      if (error instanceof Fault && error.code === 'INVALID_REQUEST') return undefined;
      throw error;
    }
  });
}

/** How many of these texts were filters; whatever they are, nothing is thrown, and nothing takes long. */
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

/** Far more than they take: others may be using the machine. */
const timeout = 120_000;

describe('100,000 texts are filters, or refused, and none takes long or throws', { timeout }, () => {
  test('expressions', () => {
    expect(fuzz(expressions.test, 40_000, items)).toBeGreaterThan(20_000);
  });

  test('mutated expressions', () => {
    expect(fuzz(mutated, 30_000, items)).toBeGreaterThan(1000);
  });

  test('garbage', () => {
    fuzz(garbage, 25_000, items);
  });

  test('what is nested, on items that make it work', () => {
    expect(fuzz(nested, 5000, [heavyItem])).toBeGreaterThan(500);
  });
});
