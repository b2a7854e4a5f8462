import type { Slice } from '../../kernel/lib/slices.ts';
import { callBounds } from '../call-budget.ts';
import type { Marks, Placed } from '../compiled-rules.ts';
import type { FoundItem } from '../search/item-finder.ts';
import type { Diversifier } from './diversify.ts';
import { type Reservation, reservedUpTo } from './reserve.ts';
import { Scan, type Sequence } from './sequence.ts';

export interface PageRequest {
  readonly limit: number;
  /** All items, in order of score. */
  readonly sequence: Sequence;
  readonly pinned: ReadonlyMap<number, FoundItem>;
  /** If several are due at a position, the first has it, and the others follow. */
  readonly reservations?: readonly Reservation[];
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
 * Fills the page from top to bottom. A position has its pinned item; or else, while there are fewer items of a reservation than
 * there should be up to here, one of those that are left; or else the best one that is left.
 */
export async function fillPage(request: PageRequest): Promise<FilledPage> {
  const { limit, sequence, pinned, diversifier } = request;
  const page: (FoundItem & Placed)[] = [];
  const used = new Set<string>();
  const valueLimit = new ValueLimit(request.maxPerValue ?? Number.POSITIVE_INFINITY);
  let bytes = 0;
  const isUnused = ({ candidate }: FoundItem) => !used.has(candidate.itemId);
  const mayTake = (item: FoundItem) => isUnused(item) && valueLimit.allows(item.marks);
  const unused = new Scan(sequence, isUnused);
  const allowed = new Scan(sequence, mayTake);
  const reserved = (request.reservations ?? []).map(
    (reservation) => new ReservedItems(reservation, { sequence, mayTake, diversifier }),
  );
  const place = (item: FoundItem, placed: Placed) => {
    page.push({ ...item, ...placed });
    used.add(item.candidate.itemId);
    bytes += item.length;
    diversifier?.take(item);
    for (const one of reserved) one.count(item);
  };
  const findDue = async (position: number, best: FoundItem | undefined) => {
    for (const one of reserved) {
      if (!one.isDueAt(position)) continue;
      // The best item counts toward the share.
      if (best && one.includes(best)) return undefined;
      const due = await one.find(position);
      if (due) return due;
    }
    return undefined;
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
    const due = await findDue(position, best);
    const taken = due?.item ?? best;
    if (!taken) break;
    const isFirst = taken === unused.firstPulled();
    valueLimit.add(taken.marks);
    place(taken, due?.placed ?? { by: isFirst ? 'score' : 'diversity' });
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

interface PageState extends Pick<PageRequest, 'sequence' | 'diversifier'> {
  readonly mayTake: (item: FoundItem) => boolean;
}

/** The items of one reservation while a page is filled. */
class ReservedItems {
  readonly #reservation: Reservation;
  readonly #state: PageState;
  readonly #mayTake: (item: FoundItem) => boolean;
  readonly #pulled: Scan;
  #opened: Scan | undefined;
  #count = 0;

  constructor(reservation: Reservation, state: PageState) {
    this.#reservation = reservation;
    this.#state = state;
    this.#mayTake = (item) => reservation.includes(item) && state.mayTake(item);
    this.#pulled = new Scan(state.sequence, this.#mayTake);
  }

  isDueAt(position: number): boolean {
    return this.#count < reservedUpTo(position, this.#reservation.share);
  }

  includes(item: FoundItem): boolean {
    return this.#reservation.includes(item);
  }

  count(item: FoundItem): void {
    if (this.includes(item)) this.#count++;
  }

  async find(position: number): Promise<{ item: FoundItem; placed: Placed } | undefined> {
    const { choices, draw, placed } = this.#reservation;
    const found = await this.#best(choices);
    const item = found[found.length > 1 ? draw(position, found.length) : 0];
    return item && { item, placed: placed(found.length) };
  }

  async #best(count: number): Promise<readonly FoundItem[]> {
    const { sequence, diversifier } = this.#state;
    if (count === 1) {
      const chosen = diversifier?.choose(this.#mayTake);
      if (chosen) return [chosen];
    }
    const pulled = this.#pulled.takePulled(count);
    if (pulled.length === count || !sequence.hasMore) return pulled;
    // Those pulled are the best, so further ones come after them.
    this.#opened ??= new Scan(this.#reservation.open(), this.#mayTake);
    const ids = new Set(pulled.map(({ candidate }) => candidate.itemId));
    const opened = await this.#opened.take(count);
    const further = opened.filter(({ candidate }) => !ids.has(candidate.itemId));
    return [...pulled, ...further].slice(0, count);
  }
}

/** Counts the values of the items on a page. */
export class ValueLimit {
  readonly #maxPerValue: number;
  readonly #counts = new Map<unknown, number>();

  constructor(maxPerValue: number) {
    this.#maxPerValue = maxPerValue;
  }

  /** Whether a further item with these values is allowed. Once it is not, it stays so. */
  allows(marks: Marks | undefined): boolean {
    return marks?.values.every((value) => (this.#counts.get(value) ?? 0) < this.#maxPerValue) ?? true;
  }

  add(marks: Marks | undefined): void {
    for (const value of marks?.values ?? []) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }
}
