import type { Interactions } from './data/interactions.ts';
import type { TopK } from './lib/top-k.ts';

/** A user to score, known to the training or not: events, oldest first, and attribute values. */
export interface User {
  readonly events: Pick<Interactions, 'item' | 'type' | 'value'>;
  readonly attributes: readonly number[];
  /**
   * If given, recommend what is similar to these items: scores come from them, and the user's own events only adjust the
   * order. Ignored by an algorithm that declines ITEMS_TO_ITEM.
   */
  readonly anchors?: readonly number[];
  /** Features of further anchors, which were added after the training: they are numbered after the items of the model. */
  readonly lateAnchors?: readonly Uint32Array[];
}

/** One term of a score. */
export interface Part {
  /**
   * - `item`: the user had events with this item (all that they add, whatever parts of a model it comes from);
   * - `hint`: the recommended item itself had events: of another type than the target (it is in the cart), or of the target
   *   type, where users come back to items;
   * - `attribute`: the user has this attribute value;
   * - `popularity`: the item is popular overall.
   */
  readonly kind: 'item' | 'hint' | 'attribute' | 'popularity';
  /** The number of the item or attribute value. */
  readonly index: number;
  readonly amount: number;
}

export interface Recommendation {
  readonly item: number;
  readonly score: number;
  /** No evidence reached the item: its score comes from its popularity and is below all scores from evidence. */
  readonly isFilled: boolean;
}

/** Multiplies scores. Items without evidence stay below all others. */
export interface Boost {
  /** The factor of an item. Called only for items that could be in the list. */
  readonly factorOf: (item: number) => number;
  /** At least 1 and every factor. */
  readonly maxFactor: number;
}

/** Items that were added after the training, by the features of their attributes. The first one has the number `Model.items`. */
export interface LateItems {
  readonly count: number;
  /** Features of late item i: `feature` from offsets[i] to offsets[i + 1]. May be longer than `count` needs. */
  readonly offsets: Uint32Array;
  /** As `featuresOf` returned them. */
  readonly feature: Uint32Array;
  readonly evidence?: LateEvidence | undefined;
}

/** What is known of a late item from the users who took it. */
export interface TakenItem {
  /** How many users took it. */
  readonly events: number;
  /** Items of the model that these users have, and how much each counts. */
  readonly item: Uint32Array;
  readonly weight: Float32Array;
}

/** The same for several late items. */
export interface LateEvidence {
  /** Their places among the late items, ascending. */
  readonly place: Uint32Array;
  readonly events: Uint32Array;
  /** Entry i of the lists above has `item` and `weight` from offsets[i] to offsets[i + 1]. */
  readonly offsets: Uint32Array;
  readonly item: Uint32Array;
  readonly weight: Float32Array;
}

export interface RecommendOptions {
  readonly n: number;
  /** Items not to recommend, in addition to those that already have a target event. */
  readonly masked?: ((item: number) => boolean) | undefined;
  /**
   * Also recommends these, on the same scale and in the same order as all items. Those that no evidence reaches come
   * last, with the score 0. Ignored if the scorer has no `featuresOf`.
   */
  readonly late?: LateItems | undefined;
  /** Only these items, late ones included, each once: the same as masking all others, but without looking at them. Not for use with `after`. */
  readonly among?: readonly number[] | undefined;
  /** Scores and order include it: of equal scores, the lower item number comes first. Not for use with `among`. */
  readonly boost?: Boost | undefined;
  /** Also recommends items that already have a target event. */
  readonly keepSeen?: boolean;
  /** Also recommends items that the user dislikes, for callers that order a list of their own. */
  readonly keepDisliked?: boolean;
  /**
   * Return only items after this one, the last of an earlier list for the same user. The order of items depends only on
   * the model and the user, so consecutive lists never share an item, whatever is masked in each.
   */
  readonly after?: Recommendation | undefined;
}

/** The similarity of an item to the one that is most similar to it. */
export const similaritySteps = 127;

/** Scores any user with one model. May keep scratch memory: use one per thread. */
export interface Scorer {
  /** Whether the order of items is known beforehand, so that a list costs as much as the items that it looks at. */
  readonly isPresorted?: boolean;
  /** The n best of all items, best first. */
  recommend(user: User, options: RecommendOptions): Recommendation[];
  /** The terms of an item's score. Their sum is the score, up to rounding. */
  explain(user: User, item: number, late?: LateItems): Part[];
  /** The features of an item with these values, for `LateItems`. Absent if the model does not know what attributes say. */
  featuresOf?(attributes: readonly number[]): Uint32Array;
  /**
   * What users who took a late item say about it, for `LateEvidence`. `histories` are the items of the model that some of them
   * have, each once; `events` is how many users took it. Present if `featuresOf` is.
   */
  readonly weighHistories?: (histories: readonly Uint32Array[], events: number) => TakenItem;
  /**
   * How similar each of `columns` is to each of `rows`, row by row: 0 to `similaritySteps`. Not symmetric. An item that is not in
   * the model (-1) is similar to none. Absent if the model does not know which items are similar.
   */
  similarities?(rows: Int32Array, columns: Int32Array): Uint8Array;
}

/** The kept items, best first. Sorts them in place. */
export function recommendationsOf(best: TopK, isFilled: boolean): Recommendation[] {
  best.sort();
  return Array.from({ length: best.size }, (_, place) => ({
    item: best.indices[place]!,
    score: best.scores[place]!,
    isFilled,
  }));
}

/** The order of TopK: the higher score first, then the lower item number. */
export const comesAfter = (item: number, score: number, after: Recommendation) =>
  score < after.score || (score === after.score && item > after.item);
