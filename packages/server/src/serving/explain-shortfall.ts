import type { ExhaustedResource } from './call-budget.ts';
import type { Search } from './search-catalogue.ts';

/** Advice by the resource that ran out. */
const remedies: Readonly<Record<ExhaustedResource, (looked: number) => string>> = {
  time: (looked) =>
    `The call ran out of time after ${looked} items were checked. Lower limit, or use a filter that more items match.`,
  steps: (looked) =>
    `The filter was too expensive to evaluate for more than ${looked} items. Use a cheaper filter, without nested loops such as exists inside exists.`,
  bytes: (looked) =>
    `The records are too large to check more than ${looked} items. Request or filter by fewer or smaller attributes, or lower limit.`,
};

/** Why a call stopped before it found enough items. */
export const explainExhausted = (exhausted: ExhaustedResource, examined: number): string =>
  remedies[exhausted](examined);

/** Why a call that examined all items found so few. */
export function explainTooFew(
  { filter, request }: Pick<Search, 'filter' | 'request'>,
  found: number,
): string {
  const unseen = request.exclude_seen ? ' that the user has not seen' : '';
  if (!filter) return `The item dataset has only ${found} ${found === 1 ? 'item' : 'items'}${unseen}.`;
  if (found === 0) return `No item${unseen} matches the filter.`;
  return `Only ${found} of the items${unseen} ${found === 1 ? 'matches' : 'match'} the filter.`;
}
