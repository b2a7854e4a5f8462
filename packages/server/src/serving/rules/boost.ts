import type { Boost } from '@tastegraph/algorithms';
import { Heap } from '../../kernel/lib/heap.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { CallBudget } from '../call-budget.ts';
import type { MirrorView } from '../catalogue/item-mirror.ts';
import type { CompiledBoost, Rules } from '../compiled-rules.ts';
import type { Candidate } from '../search/candidates.ts';
import type { FoundItem, ItemFinder, ItemStream } from '../search/item-finder.ts';

/** Steps of conditions while the model orders its items, which cannot be interrupted: 2 to 10 ms. A usual condition takes ten. */
const maxSteps = 200_000;

interface Ranked {
  readonly item: FoundItem;
  /** Its place in the order without boosts. */
  readonly place: number;
}

type Scored = Pick<Candidate, 'score' | 'isFilled'>;

/** Negative if `one` comes first. Items filled in by popularity come after all others; both groups are ordered by score. */
export function compareScores(one: Scored, other: Scored): number {
  return Number(one.isFilled) - Number(other.isFilled) || other.score - one.score;
}

/** The order in which a model lists items with a boost. Those that it does not know come after the others. */
const compareBoosted = (one: Candidate, other: Candidate) =>
  compareScores(one, other) || (one.number ?? Infinity) - (other.number ?? Infinity);

/** The largest factor that an item can have. */
const maxFactorOf = (boosts: readonly CompiledBoost[]) =>
  boosts.reduce((product, { factor }) => product * Math.max(1, factor), 1);

/**
 * The items of a finder in the order of their boosted scores. Exact: the finder's scores only fall, so an item is returned
 * once no later item can reach its score, even with every boost that raises scores (the threshold algorithm).
 */
export class BoostedItems implements ItemStream {
  readonly #finder: ItemFinder;
  readonly #maxFactor: number;
  readonly #waiting = new Heap<Ranked>(
    (one, other) => compareBoosted(one.item.candidate, other.item.candidate) || one.place - other.place,
  );
  #count = 0;
  #isInexact = false;

  constructor(finder: ItemFinder, boosts: readonly CompiledBoost[]) {
    this.#finder = finder;
    this.#maxFactor = maxFactorOf(boosts);
  }

  get hasEnded(): boolean {
    return this.#finder.hasEnded && this.#waiting.size === 0;
  }

  /** Whether it returned an item although a better one may be among those that were not examined. */
  get isInexact(): boolean {
    return this.#isInexact;
  }

  async next(max: number): Promise<FoundItem[]> {
    const released = this.#release(max);
    if (released.length > 0 || this.#finder.hasEnded) return released;
    for (const item of await this.#finder.next(Number.POSITIVE_INFINITY)) this.#add(item);
    return this.#release(max);
  }

  #add(item: FoundItem): void {
    const { candidate, marks } = item;
    const factor = marks?.factor ?? 1;
    const boosted =
      factor === 1 ? item : { ...item, candidate: { ...candidate, score: candidate.score * factor } };
    this.#waiting.push({ item: boosted, place: this.#count++ });
  }

  #release(max: number): FoundItem[] {
    const { last, hasEnded, exhausted } = this.#finder;
    // Without a last candidate, all remaining items were added after training and have no score.
    const bound = last && { isFilled: last.isFilled, score: last.score * this.#maxFactor };
    const released: FoundItem[] = [];
    for (let best = this.#waiting.peek(); best && released.length < max; best = this.#waiting.peek()) {
      const isCertain = !bound || compareScores(best.item.candidate, bound) < 0;
      if (!isCertain && !hasEnded) break;
      if (!isCertain && exhausted) this.#isInexact = true;
      this.#waiting.pop();
      released.push(best.item);
    }
    return released;
  }
}

export interface MirroredBoost extends Boost {
  /** Whether the conditions took too many steps: the order is then not exact. */
  readonly isExhausted: () => boolean;
}

/** Factors from a mirror, so that the model itself orders all its items by boosted scores. Undefined without boosts. */
export function mirroredBoost(
  mirror: MirrorView,
  model: LoadedModel,
  { boosts, factorOf }: Rules,
  budget: CallBudget,
): MirroredBoost | undefined {
  if (boosts.length === 0) return undefined;
  const own = new CallBudget(budget.tenant, budget.leftMs, { steps: maxSteps, parent: budget });
  return {
    maxFactor: maxFactorOf(boosts),
    isExhausted: () => !own.hasSteps,
    factorOf: (item) => {
      const attributes = own.hasSteps ? mirror.attributesOf(item) : undefined;
      const id = model.itemIds[item] ?? mirror.late.ids[item - model.itemIds.length] ?? '';
      return attributes ? factorOf(attributes, id, own) : 1;
    },
  };
}
