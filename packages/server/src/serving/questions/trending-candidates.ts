import type { TrendingItem } from '@tastegraph/algorithms';
import type { LoadedModel } from '../models/loaded-model.ts';
import type { Candidate, CandidateSource, ItemPredicate } from '../search/candidates.ts';

/**
 * Trending items, then all others in the order of `rest`, with scores below those of the trending ones. All scores are
 * popularity.
 */
export class TrendingCandidates implements CandidateSource {
  readonly #trending: readonly TrendingItem[];
  readonly #isTrending: ReadonlySet<string>;
  readonly #itemNumbers: LoadedModel['itemNumbers'];
  readonly #rest: CandidateSource;
  #place = 0;
  /** Factor for the scores of the rest. Set by the first of them. */
  #scale: number | undefined;

  constructor(
    trending: readonly TrendingItem[],
    { itemNumbers }: Pick<LoadedModel, 'itemNumbers'>,
    rest: CandidateSource,
  ) {
    this.#trending = trending;
    this.#isTrending = new Set(trending.map(({ itemId }) => itemId));
    this.#itemNumbers = itemNumbers;
    this.#rest = rest;
  }

  get hasEnded(): boolean {
    return this.#place === this.#trending.length && this.#rest.hasEnded;
  }

  includes(itemId: string): boolean {
    return this.#isTrending.has(itemId);
  }

  get lateCount(): number {
    return this.#rest.lateCount ?? 0;
  }

  next(size: number, isEligible?: ItemPredicate): Candidate[] {
    const batch: Candidate[] = [];
    for (; this.#place < this.#trending.length && batch.length < size; this.#place++) {
      const { itemId, score } = this.#trending[this.#place] ?? { itemId: '', score: 0 };
      const number = this.#itemNumbers.get(itemId);
      if (!isEligible || isEligible(itemId, number)) batch.push({ number, itemId, score, isFilled: true });
    }
    if (batch.length === size) return batch;
    const rest = this.#rest.next(
      size - batch.length,
      (id, number) => !this.#isTrending.has(id) && (!isEligible || isEligible(id, number)),
    );
    return [...batch, ...rest.map((candidate) => this.#below(candidate))];
  }

  #below(candidate: Candidate): Candidate {
    const lowest = this.#trending.at(-1)?.score;
    this.#scale ??= lowest === undefined ? 1 : lowest / (candidate.score + 1);
    return { ...candidate, score: candidate.score * this.#scale, isFilled: true };
  }
}
