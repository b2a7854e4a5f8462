import type { Recommendation, RecommendOptions, User } from '@tastegraph/algorithms';
import type { LoadedModel } from './loaded-model.ts';

export interface Candidate {
  /** Index in the generator's catalogue; undefined for an item that was added after training. */
  readonly number: number | undefined;
  readonly itemId: string;
  readonly score: number;
  /** True if the score is popularity, used as a fallback; false if it comes from the user's history. */
  readonly isFilled: boolean;
  /** The boost in its score, if the source applies boosts. */
  readonly factor?: number;
}

/**
 * Size of the first batch. Without a filter, slightly more than `limit`: each item costs a read, and almost all have a
 * record. With a filter, as many as most filters need.
 */
export const initialBatchSize = (limit: number, hasFilter: boolean) =>
  hasFilter ? Math.max(100, limit * 5) : limit + 2 + Math.floor(limit / 10);

/** Growth per batch: a selective filter reaches the end of the catalogue in a few batches. */
const growth = 8;
/** A batch blocks the event loop: 6 ms for a catalogue of 200,000 items, and 2 ms more per thousand in the batch. */
const maxBatchSize = 2000;

export const nextBatchSize = (size: number) => Math.min(size * growth, Math.max(size, maxBatchSize));

/** Which items a batch may contain; undefined: all. */
export type ItemPredicate = ((itemId: string, number: number | undefined) => boolean) | undefined;

/**
 * Items, best first. Each batch continues where the previous one ended: no item comes twice, whatever each batch asks
 * for.
 */
export interface CandidateSource {
  /** Whether there are no further items. */
  readonly hasEnded: boolean;
  /** Whether scores and order include the boosts of the call. */
  readonly isBoosted?: boolean;
  /** The next `size` eligible items; fewer at the end. Scores and order do not depend on eligibility. */
  next(size: number, isEligible?: ItemPredicate): Candidate[];
}

type Options = Pick<RecommendOptions, 'keepSeen' | 'keepDisliked' | 'boost'>;

/** The items of a model's catalogue with exact scores, in an order that depends only on the model, the user and the boost. */
export class Candidates implements CandidateSource {
  readonly #model: Pick<LoadedModel, 'scorer' | 'itemIds'>;
  readonly #user: User;
  readonly #options: Options;
  #last: Recommendation | undefined;
  #hasEnded = false;

  constructor(model: Pick<LoadedModel, 'scorer' | 'itemIds'>, user: User, options: Options = {}) {
    this.#model = model;
    this.#user = user;
    this.#options = options;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isBoosted(): boolean {
    return this.#options.boost !== undefined;
  }

  next(size: number, isEligible?: ItemPredicate): Candidate[] {
    if (this.#hasEnded) return [];
    const { boost } = this.#options;
    const { scorer, itemIds } = this.#model;
    const found = scorer.recommend(this.#user, {
      n: size,
      ...this.#options,
      after: this.#last,
      ...(isEligible ? { masked: (item: number) => !isEligible(itemIds[item] ?? '', item) } : {}),
    });
    this.#last = found.at(-1) ?? this.#last;
    this.#hasEnded = found.length < size;
    return found.map(({ item, score, isFilled }) => ({
      number: item,
      itemId: itemIds[item] ?? '',
      score,
      isFilled,
      ...(boost && { factor: boost.factorOf(item) }),
    }));
  }
}
