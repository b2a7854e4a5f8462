import { FairCache } from '../kernel/lib/fair-cache.ts';
import { compileFilter, type Filter } from './compile-filter.ts';

/** The most cached patterns: the states of each grow to up to 8 MB while it matches texts, so all of them take up to 128 MB. */
const maxPatterns = 16;

/** A compiled filter takes about twenty bytes per character: a long one counts as several. */
const usualLength = 256;

/**
 * Compiled filters by account and text: a service sends the same few again and again. Keeps only a few filters with patterns.
 * Does not cache refusals, which are as fast as a lookup.
 */
export function createFilterCache(size: number): {
  get(accountId: string, text: string): Filter;
} {
  const patternSize = Math.ceil(size / maxPatterns);
  const filters = new FairCache<Filter>({
    maxSize: size,
    sizeOf: ({ patterns }, text) => Math.max(Math.ceil(text.length / usualLength), patterns * patternSize),
  });
  return {
    get: (accountId, text) => {
      const known = filters.get(accountId, text);
      if (known !== undefined) return known;
      const filter = compileFilter(text);
      filters.set(accountId, text, filter);
      return filter;
    },
  };
}
