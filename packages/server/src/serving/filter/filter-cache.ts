import { LRUCache } from 'lru-cache';
import { compileFilter, type Filter } from './compile-filter.ts';

/** The most cached patterns: the states of each grow to up to 8 MB while it matches texts, so all of them take up to 128 MB. */
const maxPatterns = 16;

/** A compiled filter takes about twenty bytes per character: a long one counts as several. */
const usualLength = 256;

/**
 * Compiled filters by their text: a service sends the same few again and again. Keeps only a few filters with patterns.
 * Does not cache refusals, which are as fast as a lookup.
 */
export function createFilterCache(size: number): { get(text: string): Filter } {
  const patternSize = Math.ceil(size / maxPatterns);
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
