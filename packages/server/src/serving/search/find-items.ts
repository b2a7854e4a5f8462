import { explainExhausted, explainTooFew } from '../call/explain-shortfall.ts';
import { CallBudget, callBounds } from '../call-budget.ts';
import { type FoundItem, ItemFinder } from './item-finder.ts';
import type { Search } from './search-catalogue.ts';

export interface FoundItems {
  /** Up to one more than `targetCount`. */
  readonly found: FoundItem[];
  readonly shortfall: string | null;
  /** False if no further item is left. */
  readonly hasMore: boolean;
}

/** The best items that have a record, match the filter and are not excluded. */
export async function findItems(search: Search): Promise<FoundItems> {
  const budget = new CallBudget(search.project.account_id, search.leftMs);
  const finder = new ItemFinder(search, budget, callBounds.answerBytes);
  const { targetCount, request } = search;
  const found: FoundItem[] = [];
  do found.push(...(await finder.next(targetCount + 1 - found.length)));
  while (!finder.hasEnded && found.length < targetCount);
  if (found.length >= targetCount) return { found, shortfall: null, hasMore: true };
  const isShort = found.length < request.limit;
  if (finder.exhausted) {
    // Without progress, a caller that requests page after page would never finish.
    const hasMore = found.length > 0;
    return {
      found,
      shortfall: isShort ? explainExhausted(finder.exhausted, finder.examined) : null,
      hasMore,
    };
  }
  return {
    found,
    shortfall: isShort ? explainTooFew(search, found.length) : null,
    hasMore: found.length > request.limit,
  };
}
