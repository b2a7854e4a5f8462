import type { Part, User } from '@tastegraph/algorithms';
import type { Response } from '@tastegraph/contract';
import { slices } from '../../kernel/lib/slices.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { Placed } from '../compiled-rules.ts';
import type { Candidate } from '../search/candidates.ts';
import type { FoundItem } from '../search/item-finder.ts';

export type ShownItem = Response<'recommendItemsToUser'>['results'][number];

interface ShowRequest {
  /** The attributes to return for each item. */
  readonly attributes: readonly string[];
  readonly explain: boolean;
  /** Shows scores even without explanations. */
  readonly withScores?: boolean;
}

/** Who recommends to whom. */
interface Shown {
  readonly generator: LoadedModel;
  readonly user: User;
  /** The IDs of `user.lateAnchors`. */
  readonly lateAnchorIds?: readonly string[] | undefined;
}

/** The `results` of a response. Explains in time slices of the tenant, since that takes longer for longer histories. */
export async function showItems(
  tenant: string,
  { attributes, explain, withScores = explain }: ShowRequest,
  { generator, user, lateAnchorIds }: Shown,
  found: readonly (FoundItem & Partial<Placed>)[],
): Promise<ShownItem[]> {
  const shown = found.map(({ candidate, attributes: stored }) => ({
    item: itemOf(candidate.itemId, attributes, stored),
    ...(withScores && { score: candidate.score }),
  }));
  if (!explain) return shown;
  const explained: ShownItem[] = [];
  await slices.forEach(tenant, found.entries(), ([place, one]) => {
    const { candidate } = one;
    const { item } = shown[place] ?? { item: { item_id: candidate.itemId } };
    const rules = appliedRules(one);
    const reasons = [
      ...reasonsOf({ generator, user, lateAnchorIds }, { ...candidate, score: unboostedScore(one) }),
      ...boostReasons(one),
    ].toSorted((first, second) => second.contribution - first.contribution);
    const is_new = generator.isNew(candidate.number);
    explained.push({ item, score: candidate.score, reasons, ...(rules.length > 0 && { rules }), is_new });
  });
  return explained;
}

/** Reads own properties only, since developers may name an attribute `constructor` or `__proto__`. */
export function itemOf(
  item_id: string,
  attributes: readonly string[],
  stored: FoundItem['attributes'],
): ShownItem['item'] {
  const requested = attributes
    .filter((name) => name !== 'item_id')
    .map((name) => [name, shownValue(stored, name)] as const);
  return Object.fromEntries([['item_id', item_id], ...requested]) as ShownItem['item'];
}

/** A mirror keeps only the direction of a vector, which is not what was stored. */
function shownValue(stored: FoundItem['attributes'], name: string): unknown {
  const value = Object.hasOwn(stored, name) ? stored[name] : null;
  return value instanceof Int8Array ? null : value;
}

/** The terms of the model's score; they add up to it. */
function reasonsOf(
  { generator: { scorer, itemIds, attributeNames }, user, lateAnchorIds }: Shown,
  { number, late, score, isFilled }: Candidate,
) {
  const popularity = { kind: 'popularity', id: null, contribution: score } as const;
  const explained = number ?? late?.number;
  if (explained === undefined || isFilled) return [popularity];
  const nameOf = ({ kind, index }: Part) => {
    if (kind === 'popularity') return { kind, id: null };
    if (kind === 'attribute') return { kind, id: attributeNames[index] ?? null };
    return { kind: 'item' as const, id: itemIds[index] ?? lateAnchorIds?.[index - itemIds.length] ?? null };
  };
  return scorer
    .explain(user, explained, late?.items)
    .map((part) => ({ ...nameOf(part), contribution: part.amount }));
}

/** The model's score, without boosts. */
const unboostedScore = ({ candidate, marks }: Pick<FoundItem, 'candidate' | 'marks'>) =>
  candidate.score / (marks?.factor ?? 1);

/** What each boost adds to the score, in the order of the request. With the model's score, they add up to the score. */
function boostReasons(item: Pick<FoundItem, 'candidate' | 'marks'>): NonNullable<ShownItem['reasons']> {
  let score = unboostedScore(item);
  return (item.marks?.boosts ?? []).map(({ factor }) => {
    const before = score;
    score *= factor;
    return { kind: 'boost' as const, id: null, contribution: score - before };
  });
}

/** The rules that affected the score or the place of an item. */
export function appliedRules(
  item: Pick<FoundItem, 'marks'> & Partial<Placed>,
): NonNullable<ShownItem['rules']> {
  const { by, position, if: condition, probability } = item;
  const matched = item.marks?.boosts ?? [];
  const boosts = matched.map(({ filter, factor }) => ({ rule: 'boost' as const, if: filter.text, factor }));
  if (by === 'pin' && position !== undefined) return [{ rule: 'pin', position }, ...boosts];
  if (by === 'promote' && condition !== undefined) return [{ rule: by, if: condition }, ...boosts];
  if (by === 'new_item_share' && probability !== undefined) return [{ rule: by, probability }, ...boosts];
  if (by === 'diversity') return [{ rule: by }, ...boosts];
  return boosts;
}
