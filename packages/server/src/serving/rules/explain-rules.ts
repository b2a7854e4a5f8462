import type { Response } from '@tastegraph/contract';
import type { FoundItem } from '../search/item-finder.ts';
import type { Placed } from './rules.ts';

type Result = Response<'recommendItemsToUser'>['results'][number];

/** The model's score, without boosts. */
export const unboostedScore = ({ candidate, marks }: Pick<FoundItem, 'candidate' | 'marks'>) =>
  candidate.score / (marks?.factor ?? 1);

/** What each boost adds to the score, in the order of the request. With the model's score, they add up to the score. */
export function boostReasons(item: Pick<FoundItem, 'candidate' | 'marks'>): NonNullable<Result['reasons']> {
  let score = unboostedScore(item);
  return (item.marks?.boosts ?? []).map(({ factor }) => {
    const before = score;
    score *= factor;
    return { kind: 'boost' as const, id: null, contribution: score - before };
  });
}

/** The rules that affected the score or the place of an item. */
export function appliedRules({
  marks,
  by,
  position,
  if: condition,
  probability,
}: Pick<FoundItem, 'marks'> & Partial<Placed>): NonNullable<Result['rules']> {
  const boosts = (marks?.boosts ?? []).map(({ filter, factor }) => ({
    rule: 'boost' as const,
    if: filter.text,
    factor,
  }));
  if (by === 'pin' && position !== undefined) return [{ rule: 'pin', position }, ...boosts];
  if (by === 'promote' && condition !== undefined) return [{ rule: by, if: condition }, ...boosts];
  if (by === 'new_item_share' && probability !== undefined) return [{ rule: by, probability }, ...boosts];
  if (by === 'diversity') return [{ rule: by }, ...boosts];
  return boosts;
}
