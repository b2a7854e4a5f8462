import { both, type Filter } from '../../filters/compile-filter.ts';
import { uniformOf } from '../../kernel/lib/hashes.ts';
import { slices } from '../../kernel/lib/slices.ts';
import { CallBudget, callBounds, type ExhaustedResource } from '../call-budget.ts';
import { MirrorUnusableError } from '../catalogue/item-mirror.ts';
import { searchMirror } from '../catalogue/item-mirrors.ts';
import type { Placed, Rules } from '../compiled-rules.ts';
import type { Message, Shortfall } from '../notes.ts';
import type { UserState } from '../rows/user-states.ts';
import type { Candidate } from '../search/candidates.ts';
import { explainExhausted, explainTooFew } from '../search/find-items.ts';
import { type FoundItem, ItemFinder, type ItemStream } from '../search/item-finder.ts';
import { type QuestionCall, type Searched, searchOf } from '../search/question-call.ts';
import type { Search } from '../search/search-catalogue.ts';
import { BoostedItems, type MirroredBoost, mirroredBoost } from './boost.ts';
import { Diversifier, similarityOf, tokensOf } from './diversify.ts';
import { type FilledPage, fillPage } from './fill-page.ts';
import { readPinned } from './pin.ts';
import { rankItems } from './rank.ts';
import { newItems, promotion, type Reservation } from './reserve.ts';
import { Sequence } from './sequence.ts';

/** One page of items, and how it differs from what was requested. */
export interface ArrangedItems {
  readonly page: readonly (FoundItem & Partial<Placed>)[];
  readonly shortfall: Shortfall | null;
  readonly hasMore: boolean;
  readonly message: Message | null;
}

/** How many items to read at first, as a multiple of `limit`, by what reorders or skips items. */
const readFactors = { boosts: 5, level: 5, cap: 3 } as const;
/** How many items a level of diversity chooses from, as a multiple of `limit`. */
const poolFactor = 5;

/** Finds and orders the items of one page by the rules of the call. */
export async function arrangeItems(
  call: QuestionCall,
  state: UserState,
  searched: Searched,
  rules: Rules,
  { context, seed }: { readonly context: readonly string[]; readonly seed: string },
): Promise<ArrangedItems> {
  const random = (position: number) => uniformOf(`${seed}/${position}`);
  const found = searchMirror(call, searched.generator, (mirror) =>
    new Arrangement(call, state, { ...searched, mirror }, { rules, random }).arrange(context),
  );
  return call.clock.time('items', found);
}

class Arrangement {
  readonly #call: QuestionCall;
  readonly #state: UserState;
  readonly #searched: Searched;
  readonly #rules: Rules;
  /** Shared by all searches of the call. */
  readonly #budget: CallBudget;
  readonly #finders: ItemFinder[] = [];
  readonly #boosted: BoostedItems[] = [];
  /** For the draws of new items. */
  readonly #random: (position: number) => number;
  #mirroredBoost: MirroredBoost | undefined;

  constructor(
    call: QuestionCall,
    state: UserState,
    searched: Searched,
    { rules, random }: { readonly rules: Rules; readonly random: (position: number) => number },
  ) {
    const pinnedIds = new Set(rules.pins.values());
    const { isExcluded } = searched;
    this.#call = call;
    this.#state = state;
    this.#rules = rules;
    this.#random = random;
    this.#budget = new CallBudget(call.project.account_id, call.clock.leftMs);
    // If the model does not know which items are similar, attributes decide.
    const readsTokens = rules.diversity.weight !== undefined && !searched.generator.scorer.similarities;
    this.#searched = {
      ...searched,
      mark: readsTokens
        ? (attributes, itemId, budget) => ({
            ...rules.mark(attributes, itemId, budget),
            tokens: tokensOf(attributes, budget),
          })
        : rules.mark,
      markedAttributes: readsTokens ? undefined : rules.attributes,
      isExcluded: pinnedIds.size > 0 ? (id) => pinnedIds.has(id) || isExcluded?.(id) === true : isExcluded,
    };
  }

  async arrange(context: readonly string[]): Promise<ArrangedItems> {
    const { request, mirror, generator } = this.#searched;
    const { diversity } = this.#rules;
    if (mirror) this.#mirroredBoost = mirroredBoost(mirror, generator, this.#rules, this.#budget);
    const [pinned, sequence] = await Promise.all([this.#readPinned(), this.#openRanked(context)]);
    const filled = await fillPage({
      limit: request.limit,
      sequence,
      pinned,
      maxPerValue: diversity.cap?.maxPerValue,
      diversifier: await this.#diversifier(sequence),
      slice: slices.start(this.#call.project.account_id),
      reservations: this.#reservations(),
    });
    if (this.#mirroredBoost?.isExhausted())
      throw new MirrorUnusableError('the conditions of the boosts take too many steps');
    return {
      page: filled.page,
      // Items that the budget did not suffice for may be on the next page.
      hasMore: filled.hasMore || (filled.page.length > 0 && this.#exhausted !== undefined),
      shortfall: this.#explainShortfall(filled),
      message: this.#boosted.some(({ isInexact }) => isInexact) ? this.#explainInexact() : null,
    };
  }

  #reservations(): Reservation[] {
    const { filter, generator } = this.#searched;
    const { promotion: promoted, newItemShare } = this.#rules;
    const reservations: Reservation[] = [];
    if (promoted) {
      const open = () => new Sequence([], this.#open(both(filter, promoted.filter)));
      reservations.push(promotion(promoted.filter.text, promoted.share, open));
    }
    if (newItemShare > 0) {
      const isNew = ({ candidate }: FoundItem) => generator.isNew(candidate.number);
      const open = () => new Sequence([], this.#open(filter, generator.isNew));
      reservations.push(newItems(newItemShare, isNew, this.#random, open));
    }
    return reservations;
  }

  /** All items in order: the best by the ranker, if there is one, then the others by score. */
  async #openRanked(context: readonly string[]): Promise<Sequence> {
    const stream = this.#open(this.#searched.filter);
    if (!this.#state.ranker) return new Sequence([], stream);
    const { targetCount } = searchOf(this.#call, this.#state, this.#searched);
    const best: FoundItem[] = [];
    while (best.length < targetCount && !stream.hasEnded)
      best.push(...(await stream.next(targetCount - best.length)));
    return new Sequence(await rankItems(this.#call, this.#state, best, context), stream);
  }

  async #diversifier(sequence: Sequence): Promise<Diversifier | undefined> {
    const { weight } = this.#rules.diversity;
    if (weight === undefined) return undefined;
    const size = poolFactor * this.#searched.request.limit;
    await sequence.at(size - 1);
    const pool = sequence.pulled.slice(0, size);
    const { scorer } = this.#searched.generator;
    return new Diversifier(pool, similarityOf(pool, scorer), weight);
  }

  #open(filter: Filter | undefined, isIncluded?: Search['isIncluded']): ItemStream {
    const { boosts, diversity } = this.#rules;
    const openCandidates: Searched['openCandidates'] = (options) =>
      this.#searched.openCandidates({ ...options, boost: this.#mirroredBoost });
    const search = searchOf(this.#call, this.#state, {
      ...this.#searched,
      openCandidates,
      filter,
      isIncluded,
    });
    const isReordered = boosts.length > 0 && !search.candidates.isBoosted;
    const factor = Math.max(
      isReordered ? readFactors.boosts : 1,
      diversity.weight === undefined ? 1 : readFactors.level,
      diversity.cap ? readFactors.cap : 1,
    );
    const targetCount = Math.max(search.targetCount, search.request.limit * factor);
    // The records of a page are limited when the page is filled.
    const finder = new ItemFinder({ ...search, targetCount }, this.#budget, callBounds.readBytes);
    this.#finders.push(finder);
    if (!isReordered) return finder;
    const boosted = new BoostedItems(finder, boosts);
    this.#boosted.push(boosted);
    return boosted;
  }

  #readPinned(): Promise<ReadonlyMap<number, FoundItem>> {
    const search = searchOf(this.#call, this.#state, this.#searched);
    return readPinned(search, this.#rules.pins, this.#scorePinned(), this.#budget);
  }

  /** Scores are only needed to explain them. */
  #scorePinned(): (itemId: string) => Candidate {
    const { generator, request, user } = this.#searched;
    const { itemNumbers } = generator;
    const among = [...this.#rules.pins.values()].flatMap((id) => itemNumbers.get(id) ?? []);
    const scored = request.explain
      ? generator.scorer.recommend(user, { n: among.length, among, keepSeen: true, keepDisliked: true })
      : [];
    const byNumber = new Map(scored.map((one) => [one.item, one]));
    return (itemId) => {
      const number = itemNumbers.get(itemId);
      const { score, isFilled } = byNumber.get(number ?? -1) ?? { score: 0, isFilled: true };
      return { number, itemId, score, isFilled };
    };
  }

  get #exhausted(): ExhaustedResource | undefined {
    return this.#finders.find(({ exhausted }) => exhausted)?.exhausted;
  }

  #explainShortfall({ page, isTooLarge }: FilledPage): Shortfall | null {
    if (page.length >= this.#searched.request.limit) return null;
    const exhausted = isTooLarge ? 'bytes' : this.#exhausted;
    if (exhausted) return explainExhausted(exhausted, this.#examined);
    const { cap } = this.#rules.diversity;
    if (!cap) return explainTooFew(this.#searched, page.length);
    const text = `Only ${page.length} items can be returned with at most ${cap.maxPerValue} per value of ${cap.attribute}.`;
    return { code: 'FEW_PER_VALUE', text };
  }

  #explainInexact(): Message {
    const text = `The boosts were applied to the best ${this.#examined} items only: the call had no time or budget for more. Use conditions that are cheaper to evaluate, or smaller factors.`;
    return { code: 'BOOSTS_INCOMPLETE', text };
  }

  get #examined(): number {
    return Math.max(0, ...this.#finders.map(({ examined }) => examined));
  }
}
