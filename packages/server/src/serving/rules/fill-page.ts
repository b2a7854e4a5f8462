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
  /** The condition of a promotion. */
  readonly if?: string;
}

export interface PageRequest {
  readonly limit: number;
  /** All items, in order of score. */
  readonly sequence: Sequence;
  readonly pinned: ReadonlyMap<number, FoundItem>;
  /** `open` returns the items of `sequence` that match, in the same order. Called only if it is needed. */
  readonly promotion:
    | { readonly if: string; readonly share: number; readonly open: () => Sequence }
    | undefined;
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
  const unused = new Scan(sequence, isUnused);
  const allowed = new Scan(sequence, mayTake);
  const promotedScan = new Scan(sequence, isPromoted);
  let opened: Scan | undefined;
  const findPromoted = async (open: () => Sequence) => {
    const pulled = diversifier?.choose(isPromoted) ?? promotedScan.firstPulled();
    if (pulled || !sequence.hasMore) return pulled;
    // Those pulled are the best, so further promoted items come after them.
    opened ??= new Scan(open(), mayTake);
    return opened.first();
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
    const best = diversifier?.choose(mayTake) ?? allowed.firstPulled() ?? (await allowed.first());
    const isDue = promotion && promotedCount < promotedUpTo(position, promotion.share);
    const due = isDue && !best?.marks?.isPromoted ? await findPromoted(promotion.open) : undefined;
    const taken = due ?? best;
    if (!taken) break;
    const isFirst = taken === unused.firstPulled();
    valueLimit.add(taken.marks);
    if (due && promotion) place(due, { by: 'promote', if: promotion.if });
    else place(taken, { by: isFirst ? 'score' : 'diversity' });
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

/** Finds the first item that may be taken. What it passed over is not looked at again, since it never may be. */
class Scan {
  readonly #sequence: Sequence;
  readonly #mayTake: (item: FoundItem) => boolean;
  #place = 0;

  constructor(sequence: Sequence, mayTake: (item: FoundItem) => boolean) {
    this.#sequence = sequence;
    this.#mayTake = mayTake;
  }

  /** Of the items pulled so far, which needs no waiting. */
  firstPulled(): FoundItem | undefined {
    const { pulled } = this.#sequence;
    let item = pulled[this.#place];
    while (item && !this.#mayTake(item)) item = pulled[++this.#place];
    return item;
  }

  async first(): Promise<FoundItem | undefined> {
    let item = this.firstPulled();
    while (!item && (await this.#sequence.at(this.#place))) item = this.firstPulled();
    return item;
  }
}
