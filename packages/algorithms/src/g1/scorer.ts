import { sharedF32, sharedU32 } from '../arrays.ts';
import type { Scorer } from './evaluate.ts';
import { type Pairs, pairMass } from './pairs/find-pairs.ts';
import type { Support } from './support.ts';
import type { Transitions } from './transitions.ts';

/** Parameters that can change without a new fit. */
export interface ScoreParameters {
  /** W_ij = w_ij * (d_i / d_j)^a: below 0.5 or so, rarer targets rank higher. */
  readonly a: number;
  /** The exponent p of (1 + age rank)^-p, by which older events fade. */
  readonly recency: number;
  /** The share of transitions (which item follows which) relative to taste, 0 to 1. */
  readonly transitions: number;
  /** The weight of second-order transitions (what follows two items), beside that of taste and transitions; 0 leaves them out. */
  readonly pairs: number;
}

/** W, in the layout of its support, and the degrees of its tokens. */
export interface Taste {
  readonly support: Support;
  readonly weight: Float32Array;
  readonly degree: Float64Array;
  readonly items: number;
}

const none: Transitions = {
  k: 0,
  count: sharedU32(0),
  target: sharedU32(0),
  weight: sharedF32(0),
};

/** M = q * Q/|Q| + (1 - q) * W/|W|, where |.| is the mean mass of a row, so that q means the same for any data. */
export function makeScorer(
  { support, weight, degree, items }: Taste,
  transitions: Transitions | undefined,
  parameters: ScoreParameters,
  popularity = degree,
  pairs?: Pairs,
): Scorer {
  const { a } = parameters;
  const sourceScale = sharedF32(degree.length);
  for (let token = 0; token < degree.length; token++) sourceScale[token] = Math.max(1, degree[token]!) ** a;
  const targetScale = sharedF32(items);
  for (let item = 0; item < items; item++) targetScale[item] = Math.max(1, degree[item]!) ** -a;
  const mass = tasteMass(support, weight, sourceScale, targetScale, items);
  const next = transitions && parameters.transitions > 0 ? transitions : none;
  const nextMass = transitionMass(next);
  const share = nextMass > 0 ? parameters.transitions : 0;
  const massOfPairs = pairs ? pairMass(pairs) : 0;
  const pairScale = massOfPairs > 0 ? parameters.pairs / massOfPairs : 0;
  return {
    items,
    sourceScale,
    targetScale,
    tasteK: support.k,
    tasteCount: support.count,
    tasteTarget: support.target,
    tasteWeight: weight,
    tasteScale: mass > 0 ? (1 - share) / mass : 0,
    transitionK: next.k,
    transitionCount: next.count,
    transitionTarget: next.target,
    transitionWeight: next.weight,
    transitionScale: nextMass > 0 ? share / nextMass : 0,
    pairs: pairScale > 0 ? pairs : undefined,
    pairScale,
    recency: parameters.recency,
    popular: mostPopular(popularity, items),
  };
}

export function mostPopular(popularity: Float64Array, items: number): Uint32Array {
  const popular = sharedU32(items);
  for (let item = 0; item < items; item++) popular[item] = item;
  return popular.sort((one, other) => popularity[other]! - popularity[one]! || one - other);
}

function tasteMass(
  { k, count, target }: Support,
  weight: Float32Array,
  sourceScale: Float32Array,
  targetScale: Float32Array,
  items: number,
): number {
  let sum = 0;
  let rows = 0;
  for (let source = 0; source < items; source++) {
    const size = count[source]!;
    if (size > 0) rows++;
    for (let place = source * k; place < source * k + size; place++)
      sum += Math.abs(weight[place]!) * sourceScale[source]! * targetScale[target[place]!]!;
  }
  return rows > 0 ? sum / rows : 0;
}

function transitionMass({ k, count, weight }: Transitions): number {
  let sum = 0;
  let rows = 0;
  for (let source = 0; source < count.length; source++) {
    const size = count[source]!;
    if (size > 0) rows++;
    for (let place = source * k; place < source * k + size; place++) sum += weight[place]!;
  }
  return rows > 0 ? sum / rows : 0;
}
