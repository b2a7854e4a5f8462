import type { LateItems, Recommendation, RecommendOptions, User } from '@tastegraph/algorithms';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { LateView } from '../catalogue/late-items.ts';

export interface Candidate {
  /** Index in the generator's catalogue; undefined for an item that was added after training. */
  readonly number: number | undefined;
  readonly itemId: string;
  readonly score: number;
  /** True if the score is popularity, used as a fallback; false if it comes from the user's history. */
  readonly isFilled: boolean;
  /** The boost in its score, if the source applies boosts. */
  readonly factor?: number;
  /** What explains the score of an item that was added after training. */
  readonly late?: { readonly number: number; readonly items: LateItems | undefined };
}

/** An item that was added after training, without a score. */
export function newItem(itemId: string): Candidate {
  return { number: undefined, itemId, score: 0, isFilled: true };
}

/** Without a filter, slightly more than `limit`: each costs a read, and almost all have a record. With one, enough for most filters. */
export const initialBatchSize = (limit: number, hasFilter: boolean) =>
  hasFilter ? Math.max(100, limit * 5) : limit + 2 + Math.floor(limit / 10);

/** Growth per batch: a selective filter reaches the end of the catalogue in a few batches. */
const growth = 8;
/** A batch blocks the event loop: 6 ms for a catalogue of 200,000 items, and 2 ms more per thousand in the batch. */
const maxBatchSize = 2000;

/** Items of a presorted scorer that a batch looks at: 2 ms. A filter may match none of a million. */
const maxExamined = 20_000;

export const nextBatchSize = (size: number) => Math.min(size * growth, Math.max(size, maxBatchSize));

/** Which items a batch may contain; undefined: all. */
export type ItemPredicate = ((itemId: string, number: number | undefined) => boolean) | undefined;

/** Items, best first. Each batch continues where the previous one ended: no item comes twice, whatever each asks for. */
export interface CandidateSource {
  /** Whether there are no further items. */
  readonly hasEnded: boolean;
  /** Whether scores and order include the boosts of the call. */
  readonly isBoosted?: boolean;
  /** Whether an item that was added after training is among the candidates anyway. */
  readonly includes?: (itemId: string) => boolean;
  /** How many of the items that were added after training it includes, the first in the order of IDs. */
  readonly lateCount?: number;
  /** The next `size` eligible items; fewer at the end, or if it looked at many in vain. Scores and order do not depend on eligibility. */
  next(size: number, isEligible?: ItemPredicate): Candidate[];
}

interface Options extends Pick<RecommendOptions, 'keepSeen' | 'keepDisliked' | 'boost'> {
  /** Scored by their attributes, if the model can. */
  readonly late?: LateView | undefined;
}

type CandidateModel = Pick<LoadedModel, 'scorer' | 'itemIds'>;

/** The items of a model's catalogue with exact scores, in an order that depends only on the model, the user and the boost. */
export class Candidates implements CandidateSource {
  readonly #model: CandidateModel;
  readonly #user: User;
  readonly #options: Omit<Options, 'late'>;
  readonly #late: LateView | undefined;
  #last: Recommendation | undefined;
  #hasEnded = false;

  constructor(model: CandidateModel, user: User, { late, ...options }: Options = {}) {
    this.#model = model;
    this.#user = user;
    this.#options = options;
    this.#late = late;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isBoosted(): boolean {
    return this.#options.boost !== undefined;
  }

  get lateCount(): number {
    return this.#late?.scored?.count ?? 0;
  }

  next(size: number, isEligible?: ItemPredicate): Candidate[] {
    if (this.#hasEnded) return [];
    const { boost } = this.#options;
    const masked = isEligible && this.#mask(isEligible);
    const found =
      masked && !boost && this.#model.scorer.isPresorted
        ? this.#findInOrder(size, masked)
        : this.#recommend(size, masked);
    return found.map(({ item, score, isFilled }) => ({
      ...this.#nameOf(item),
      score,
      isFilled,
      ...(boost && { factor: boost.factorOf(item) }),
    }));
  }

  #recommend(n: number, masked?: (item: number) => boolean): Recommendation[] {
    const found = this.#model.scorer.recommend(this.#user, {
      n,
      ...this.#options,
      late: this.#late?.scored,
      after: this.#last,
      masked,
    });
    this.#last = found.at(-1) ?? this.#last;
    this.#hasEnded = found.length < n;
    return found;
  }

  /** Looks at a limited number of items instead of all that the mask excludes. */
  #findInOrder(size: number, masked: (item: number) => boolean): Recommendation[] {
    const found: Recommendation[] = [];
    for (let examined = 0; found.length < size && examined < maxExamined && !this.#hasEnded; ) {
      const page = this.#recommend(Math.min(Math.max(size - found.length, examined), maxExamined - examined));
      examined += page.length;
      for (const [place, one] of page.entries()) {
        if (!masked(one.item)) found.push(one);
        if (found.length < size || place === page.length - 1) continue;
        this.#last = one;
        this.#hasEnded = false;
        break;
      }
    }
    return found;
  }

  #mask(isEligible: NonNullable<ItemPredicate>): (item: number) => boolean {
    const { itemIds } = this.#model;
    const lateIds = this.#late?.ids ?? [];
    return (item) =>
      item < itemIds.length
        ? !isEligible(itemIds[item] ?? '', item)
        : !isEligible(lateIds[item - itemIds.length] ?? '', undefined);
  }

  #nameOf(item: number): Pick<Candidate, 'number' | 'itemId' | 'late'> {
    const { itemIds } = this.#model;
    const known = itemIds[item];
    if (known !== undefined) return { number: item, itemId: known };
    const itemId = this.#late?.ids[item - itemIds.length] ?? '';
    return { number: undefined, itemId, late: { number: item, items: this.#late?.scored } };
  }
}
