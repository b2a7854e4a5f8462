import type { Filter } from '../../filters/compile-filter.ts';
import { comparedLength } from '../../filters/item.ts';
import { nearestName } from '../../kernel/lib/nearest-name.ts';
import { CallBudget, callBounds, type ExhaustedResource } from '../call-budget.ts';
import type { Shortfall } from '../notes.ts';
import { type FoundItem, ItemFinder } from './item-finder.ts';
import type { Search } from './search-catalogue.ts';

export interface FoundItems {
  /** Up to one more than `targetCount`. */
  readonly found: FoundItem[];
  readonly shortfall: Shortfall | null;
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
  const { exhausted, examined } = finder;
  const explain = () =>
    exhausted ? explainExhausted(exhausted, examined) : explainTooFew(search, found.length);
  return {
    found,
    shortfall: found.length < request.limit ? explain() : null,
    // If the budget is exhausted without progress, a caller that requests page after page would never finish.
    hasMore: exhausted ? found.length > 0 : found.length > request.limit,
  };
}

/** Advice by the resource that ran out. */
const remedies: Readonly<Record<ExhaustedResource, (looked: number) => Shortfall>> = {
  time: (looked) => ({
    code: 'OUT_OF_TIME',
    text: `The call ran out of time after ${looked} items were checked. Lower limit, or use a filter that more items match.`,
  }),
  steps: (looked) => ({
    code: 'FILTER_TOO_EXPENSIVE',
    text: `The filter was too expensive to evaluate for more than ${looked} items. Use a cheaper filter, without nested loops such as exists inside exists.`,
  }),
  bytes: (looked) => ({
    code: 'RECORDS_TOO_LARGE',
    text: `The records are too large to check more than ${looked} items. Request or filter by fewer or smaller attributes, or lower limit.`,
  }),
};

/** Why a call stopped before it found enough items. */
export const explainExhausted = (exhausted: ExhaustedResource, examined: number): Shortfall =>
  remedies[exhausted](examined);

/** Why a call that examined all items found so few. */
export function explainTooFew(
  { filter, request, mirror }: Pick<Search, 'filter' | 'request' | 'mirror'>,
  found: number,
): Shortfall {
  const unseen = request.exclude_seen ? ' that the user has not seen' : '';
  if (!filter) {
    const text = `The item dataset has only ${found} ${found === 1 ? 'item' : 'items'}${unseen}.`;
    return { code: 'FEW_ITEMS', text };
  }
  if (found === 0)
    return { code: 'NO_MATCH', text: `No item${unseen} matches the filter.${suggestName(filter, mirror)}` };
  const matches = found === 1 ? 'matches' : 'match';
  return { code: 'FEW_MATCHES', text: `Only ${found} of the items${unseen} ${matches} the filter.` };
}

/** Enough to know the attributes that most items have, in at most a few milliseconds. */
const sampled = { items: 100, names: 100 };

/** The first attribute of the filter that is not among those of the catalogue is probably misspelled. */
function suggestName({ attributes = [] }: Filter, mirror: Search['mirror']): string {
  if (!mirror) return '';
  const known = new Set<string>();
  for (let number = 0; number < sampled.items && known.size < sampled.names; number++)
    for (const name of Object.keys(mirror.attributesOf(number) ?? {})) known.add(name);
  const unknown = attributes.find((name) => !known.has(name));
  const nearest =
    unknown === undefined
      ? undefined
      : nearestName(unknown.slice(0, comparedLength), [...known].slice(0, sampled.names));
  return nearest === undefined
    ? ''
    : ` ${JSON.stringify(unknown)} is not an attribute of the items; did you mean ${JSON.stringify(nearest)}?`;
}
