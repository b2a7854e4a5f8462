import type { Slice } from '../../lib/slices.ts';
import { callBounds } from '../call-budget.ts';
import type { FoundItem } from '../item-finder.ts';
import type { Diversifier } from './diversify.ts';
import { ValueLimit } from './limit-values.ts';
import { promotedUpTo } from './promote.ts';
import type { Sequence } from './sequence.ts';

/** Why an item has its place. */
export interface Placed {
  readonly by: 'score' | 'pin' | 'promote' | 'diversity';
  /** The position that the pin requested. */
  readonly position?: number;
}

export interface PageRequest {
  readonly limit: number;
  /** All items, in order of score. */
  readonly sequence: Sequence;
  readonly pinned: ReadonlyMap<number, FoundItem>;
  /** `open` returns the items of `sequence` that match, in the same order. Called only if it is needed. */
  readonly promotion: { readonly share: number; readonly open: () => Sequence } | undefined;
  /** Chooses among the first items of `sequence`. */
  readonly diversifier?: Diversifier | undefined;
  /** Choosing compares items, up to 50 ms in total: other work runs in between. */
  readonly slice?: Slice | undefined;
  readonly maxPerValue?: number | undefined;
}

export interface FilledPage {
  readonly page: readonly (FoundItem & Placed)[];
  /** Whether there may be items for a further page. */
  readonly hasMore: boolean;
  /** Whether the page is short because its records are too large. */
  readonly isTooLarge: boolean;
}

/**
 * Fills the page from top to bottom. A position has its pinned item; or else, while there are fewer promoted items than
 * there should be up to here, the best promoted one that is left; or else the best one that is left.
 */
export async function fillPage(request: PageRequest): Promise<FilledPage> {
  const { limit, sequence, pinned, promotion, diversifier } = request;
  const page: (FoundItem & Placed)[] = [];
  const used = new Set<string>();
  const valueLimit = new ValueLimit(request.maxPerValue ?? Number.POSITIVE_INFINITY);
  let promotedCount = 0;
  let bytes = 0;
  const place = (item: FoundItem, placed: Placed) => {
    page.push({ ...item, ...placed });
    used.add(item.candidate.itemId);
    bytes += item.length;
    diversifier?.take(item);
    if (item.marks?.isPromoted) promotedCount++;
  };
  const isUnused = ({ candidate }: FoundItem) => !used.has(candidate.itemId);
  const mayTake = (item: FoundItem) => isUnused(item) && valueLimit.allows(item.marks);
  const isPromoted = (item: FoundItem) => item.marks?.isPromoted === true && mayTake(item);
  const findFirst = firstOf(async (index) => sequence.pulled[index], isUnused);
  const findNext = firstOf(async (index) => sequence.at(index), mayTake);
  const findPulled = firstOf(async (index) => sequence.pulled[index], isPromoted);
  const findBest = async () => diversifier?.choose(mayTake) ?? findNext();
  let findOpened: typeof findNext | undefined;
  const findPromoted = async (open: () => Sequence) => {
    const pulled = diversifier?.choose(isPromoted) ?? (await findPulled());
    if (pulled || !sequence.hasMore) return pulled;
    // Those pulled are the best, so further promoted items come after them.
    if (!findOpened) {
      const promoted = open();
      findOpened = firstOf(async (index) => promoted.at(index), mayTake);
    }
    return findOpened();
  };

  const pins = new Map(pinned);
  for (const { marks } of pins.values()) valueLimit.add(marks);
  while (page.length < limit && bytes <= callBounds.answerBytes) {
    if (diversifier && request.slice?.isOver()) await request.slice.next();
    const position = page.length + 1;
    const pin = pins.get(position);
    if (pin) {
      pins.delete(position);
      place(pin, { by: 'pin', position });
      continue;
    }
    const best = await findBest();
    const isDue = promotion && promotedCount < promotedUpTo(position, promotion.share);
    const due = isDue && !best?.marks?.isPromoted ? await findPromoted(promotion.open) : undefined;
    const taken = due ?? best;
    if (!taken) break;
    const isFirst = due !== undefined || taken === (await findFirst());
    valueLimit.add(taken.marks);
    place(taken, { by: due ? 'promote' : isFirst ? 'score' : 'diversity' });
  }
  // A list that is shorter than a pin's position ends with the pinned item.
  for (const [position, item] of [...pins].toSorted(([one], [other]) => one - other))
    if (page.length < limit && bytes <= callBounds.answerBytes) place(item, { by: 'pin', position });
  return {
    page,
    hasMore: page.length > 0 && (sequence.hasMore || sequence.pulled.some(isUnused)),
    isTooLarge: bytes > callBounds.answerBytes,
  };
}

/**
 * Finds the first item that may be taken. Items that it passes over are not examined again, because they can never be
 * taken.
 */
function firstOf(
  at: (index: number) => Promise<FoundItem | undefined>,
  mayTake: (item: FoundItem) => boolean,
): () => Promise<FoundItem | undefined> {
  let index = 0;
  return async () => {
    let item = await at(index);
    while (item && !mayTake(item)) item = await at(++index);
    return item;
  };
}
