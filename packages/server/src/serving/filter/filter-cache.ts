import { LRUCache } from 'lru-cache';
import { compileFilter, type Filter } from './compile-filter.ts';

/** Patterns kept at most: the states of one grow to 8 MB on the texts it meets, so these to 128 MB. */
const keptPatterns = 16;

/** Compiled, each character takes some twenty bytes: a long one counts as the several that it takes the place of. */
const usualLength = 256;

/**
 * Filters by their text, compiled once: a service sends the same few again and again. Of those with patterns only
 * a few are kept. What is refused is not kept: refusing is as fast.
 */
export function createFilterCache(size: number): { get(text: string): Filter } {
  const patternSize = Math.ceil(size / keptPatterns);
  const filters = new LRUCache<string, Filter>({
    maxSize: size,
    sizeCalculation: ({ patterns }, text) =>
      Math.max(Math.ceil(text.length / usualLength), patterns * patternSize),
  });
  return {
    get: (text) => {
      const known = filters.get(text);
      if (known !== undefined) return known;
      const filter = compileFilter(text);
      filters.set(text, filter);
      return filter;
    },
  };
}
