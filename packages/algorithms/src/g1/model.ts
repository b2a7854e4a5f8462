import { sharedF32, sharedI8, sharedU32 } from '../arrays.ts';
import { similaritySteps } from '../scorer.ts';
import type { EventWeights } from './event-weights.ts';
import type { ItemMap } from './item-map/map.ts';
import type { Pairs } from './pairs/find-pairs.ts';
import type { PairIndex } from './pairs/pair-index.ts';
import { targetsPerPair } from './pairs/pair-targets.ts';
import { type G1Parameters, profileFit } from './parameters.ts';
import type { Taste } from './scorer.ts';
import { makeScorer, mostPopular } from './scorer.ts';
import { noFactors, type StoredFactors } from './stored-factors.ts';
import type { Transitions } from './transitions.ts';

/**
 * What is stored and served: M by source, one row per token. Each value is quantized to 8 bits relative to the largest
 * of its row (recall and NDCG stay the same to four digits). Rows are the items, then the user attributes' values for
 * users with items, then the same values for users without items, then the token that every user has, then pairs of
 * items.
 */
export interface G1Model {
  readonly parameters: G1Parameters;
  readonly items: number;
  readonly attributes: number;
  readonly weights: EventWeights;
  readonly offsets: Uint32Array;
  /** Ascending within a row. */
  readonly target: Uint32Array;
  readonly value: Int8Array;
  readonly rowScale: Float32Array;
  /** The popularity of each item: d_j, or what decays with time. */
  readonly popularity: Float32Array;
  readonly lowRank: StoredFactors;
  /** The pairs of items that have rows of their own, after all other rows; absent if none. */
  readonly pairs?: PairIndex;
  /** What the model learned of item attributes; absent if nothing. */
  readonly map?: ItemMap;
}

/** The value of the largest entry of a row. */
const valueSteps = similaritySteps;

export function buildModel(
  parameters: G1Parameters,
  taste: Taste,
  transitions: Transitions | undefined,
  profile: Taste,
  weights: EventWeights,
  popularity: Float64Array,
  lowRank: StoredFactors = noFactors,
  pairs?: Pairs,
): G1Model {
  const { items, degree } = taste;
  const attributes = degree.length - items - 1;
  const scorer = makeScorer(taste, transitions, parameters, degree, pairs);
  const stored = scorer.pairs;
  const firstPair = items + 2 * attributes + 1;
  const rows = firstPair + (stored?.count.length ?? 0);
  const capacity =
    taste.support.count.reduce((sum, count) => sum + count, 0) +
    scorer.transitionCount.reduce((sum, count) => sum + count, 0) +
    profile.support.count.subarray(items).reduce((sum, count) => sum + count, profile.support.k) +
    (stored?.count.reduce((sum, count) => sum + count, 0) ?? 0);
  const offsets = sharedU32(rows + 1);
  // An upper bound: pages that are never written take no memory.
  const target = sharedU32(capacity);
  const value = sharedI8(capacity);
  const rowScale = sharedF32(rows);
  const dense = new Float64Array(items);
  const seen = new Uint8Array(items);
  const row = new Uint32Array(items);
  let length = 0;
  let size = 0;

  const addTo = (item: number, amount: number) => {
    if (seen[item] === 0) {
      seen[item] = 1;
      row[length++] = item;
    }
    dense[item]! += amount;
  };
  const add = (
    from: { k: number; count: Uint32Array; target: Uint32Array; weight: Float32Array },
    token: number,
    factor: number,
    targetScale?: Float32Array,
  ) => {
    if (factor === 0) return;
    const first = token * from.k;
    for (let place = first; place < first + from.count[token]!; place++) {
      const item = from.target[place]!;
      addTo(item, factor * from.weight[place]! * (targetScale?.[item] ?? 1));
    }
  };
  const close = (index: number) => {
    const reached = row.subarray(0, length).sort();
    length = 0;
    let largest = 0;
    for (const item of reached) largest = Math.max(largest, Math.abs(dense[item]!));
    const step = Math.fround(largest / valueSteps);
    rowScale[index] = step;
    for (const item of reached) {
      const rounded = step > 0 ? Math.round(dense[item]! / step) : 0;
      dense[item] = 0;
      seen[item] = 0;
      if (rounded === 0) continue;
      target[size] = item;
      value[size++] = Math.max(-valueSteps, Math.min(valueSteps, rounded));
    }
    offsets[index + 1] = size;
  };

  const tastes = { ...taste.support, weight: taste.weight };
  for (let token = 0; token < items + attributes; token++) {
    add(tastes, token, scorer.tasteScale * scorer.sourceScale[token]!, scorer.targetScale);
    if (transitions && token < items) add(transitions, token, scorer.transitionScale);
    close(token);
  }
  const profiles = { ...profile.support, weight: profile.weight };
  const isDecayed = popularity !== degree;
  // A value's weight is by how much its users differ from all users, so it follows the item's popularity.
  const trend = isDecayed
    ? sharedF32(items).map((_, item) => (degree[item]! > 0 ? popularity[item]! / degree[item]! : 0))
    : undefined;
  const everybody = degree.length - 1;
  for (let token = items; token < everybody; token++) {
    add(profiles, token, 1, trend);
    close(token + attributes);
  }
  if (isDecayed) {
    const users = degree[everybody]! + profileFit.lambda;
    for (const item of mostPopular(popularity, items).subarray(0, profile.support.k))
      addTo(item, popularity[item]! / users);
  } else add(profiles, everybody, 1);
  close(everybody + attributes);
  for (let pair = 0; stored && pair < stored.count.length; pair++) {
    add({ ...stored, k: targetsPerPair }, pair, scorer.pairScale);
    close(firstPair + pair);
  }
  const fallback = sharedF32(items);
  fallback.set(popularity.subarray(0, items));
  return {
    parameters,
    items,
    attributes,
    weights,
    offsets,
    target: target.subarray(0, size),
    value: value.subarray(0, size),
    rowScale,
    popularity: fallback,
    lowRank,
    ...(stored && { pairs: { offsets: stored.offsets, earlier: stored.earlier } }),
  };
}
