import { never } from '../popular/decay.ts';
import type { TypeParameters } from './data/event-weights.ts';
import type { FitParameters } from './fit/regression.ts';
import type { ScoreParameters } from './fit/scorer.ts';
import { defaultMap, type MapParameters } from './items/map.ts';

/** All parameters; those that the caller leaves out are searched for. */
export interface G1Parameters extends FitParameters, ScoreParameters, TypeParameters {
  /** Maximum number of targets per source. */
  readonly k: number;
  /**
   * How much events of other types count in what the regression predicts, relative to their weight as evidence. Above
   * 0, it learns from what users view together, where purchases are few.
   */
  readonly outcome: number;
  /** The weight of a user attribute's value for users with items (0: not in the regression); without items, it always counts. */
  readonly attributeWeight: number;
  /** How much item attributes count; null leaves them out. */
  readonly map: MapParameters | null;
  /** How many factors per item the low-rank part has; 0 leaves it out. */
  readonly rank: number;
  /** The weight of the low-rank part, relative to how widely other scores are spread. */
  readonly lowRankWeight: number;
  /** The half-life of the popularity that users without events get and that fills up lists. */
  readonly halfLifeDays: number;
}

/** Which signals the data has; a missing signal needs no search. */
export interface Signals {
  readonly items: number;
  readonly types: number;
  /** Their weights are 0, and `dislike` says how much they count. */
  readonly negativeTypes?: readonly number[];
  readonly ordered: boolean;
  readonly userAttributes: boolean;
  readonly itemAttributes: boolean;
}

/**
 * Recall levels off at 200 (400 adds .0007 on ml-1m and .0002 on yelp2018, and doubles time and memory). Beyond 40,000
 * items memory is the limit, and the number falls to 100 (gowalla .1920 instead of .1924).
 */
export const targetsPerSource = (items: number) =>
  Math.min(Math.max(1, items), Math.round(Math.min(200, Math.max(100, 8e6 / items))));

/**
 * Shrinks an attribute value as if 100 average users had it too. This gives the best NDCG for users unknown to the
 * training on ml-100k and ml-1m (30: -.2 %, 300: -.3 %; popularity alone: -3 %), whatever the parameters for items.
 */
export const profileFit = { beta: 0, c: 0, lambda: 100 };

/** By event type number: 1 for the target, 0.5 for the most frequent of the others, less for the rest. */
export const defaultTypeWeight = (type: number): number => [1, 0.5][type] ?? 0.3;

/** On average over ten data sets, these defaults reached 97.7 % of the best NDCG of a grid search in the prototype. */
export function defaults(signals: Signals): G1Parameters {
  const types = Array.from({ length: signals.types }, (_, type) => type);
  const weights = types.map((type) => (signals.negativeTypes?.includes(type) ? 0 : defaultTypeWeight(type)));
  return {
    beta: 0.3,
    c: 3,
    lambda: 100,
    a: 0.1,
    recency: signals.ordered ? 0.5 : 0,
    transitions: signals.ordered ? 0.5 : 0,
    // The data has to show that they help.
    pairs: 0,
    k: targetsPerSource(signals.items),
    typeWeights: weights,
    outcome: 0,
    // Users may never want an item twice, so the data has to show that they do.
    hints: types.map(() => 0),
    visitorWeights: weights,
    visitorHints: types.map(() => 0),
    fade: 0,
    // The data has to show what a dislike says about other items.
    dislike: 0,
    // The data has to show that users come back to items.
    repeat: 0,
    attributeWeight: signals.userAttributes ? 1 : 0,
    map: signals.itemAttributes ? defaultMap : null,
    // The data has to show that it helps.
    rank: 0,
    lowRankWeight: 0,
    halfLifeDays: never,
  };
}

/** The types that are neither the target nor negative. */
export const otherTypes = ({ types, negativeTypes = [] }: Signals): number[] =>
  Array.from({ length: types - 1 }, (_, index) => index + 1).filter((type) => !negativeTypes.includes(type));

/** One step of the search: candidates, given the best so far. Most steps without a new fit come after those with one. */
export interface Step {
  readonly name: string;
  readonly candidates: (best: G1Parameters) => readonly G1Parameters[];
  /** What a later step may try. It is fitted together with the candidates if that takes no fit of its own. */
  readonly likelyNext?: (best: G1Parameters) => readonly G1Parameters[];
  /** Of the candidates that are not significantly worse than the best, the one with the smallest result is chosen. */
  readonly prefer?: (parameters: G1Parameters) => number;
  /** At most this share of the best NDCG is given up for the preferred candidate. */
  readonly tolerance?: number;
}

export type Given = Partial<G1Parameters>;
