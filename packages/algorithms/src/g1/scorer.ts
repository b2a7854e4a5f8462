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

/** The same tokens, none of which leads to any item. */
export function withoutTargets({ support, degree, items }: Taste): Taste {
  const { tokens } = support;
  const none = { tokens, k: 0, offsets: sharedU32(tokens + 1), target: sharedU32(0) };
  return { support: none, weight: sharedF32(0), degree, items };
}

const none: Transitions = { offsets: sharedU32(1), target: sharedU32(0), weight: sharedF32(0) };

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
    tasteOffsets: support.offsets,
    tasteTarget: support.target,
    tasteWeight: weight,
    tasteScale: mass > 0 ? (1 - share) / mass : 0,
    transitionOffsets: next.offsets,
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
  { offsets, target }: Support,
  weight: Float32Array,
  sourceScale: Float32Array,
  targetScale: Float32Array,
  items: number,
): number {
  let sum = 0;
  let rows = 0;
  for (let source = 0; source < items; source++) {
    const end = offsets[source + 1]!;
    if (end > offsets[source]!) rows++;
    for (let place = offsets[source]!; place < end; place++)
      sum += Math.abs(weight[place]!) * sourceScale[source]! * targetScale[target[place]!]!;
  }
  return rows > 0 ? sum / rows : 0;
}

function transitionMass({ offsets, weight }: Transitions): number {
  let sum = 0;
  let rows = 0;
  for (let source = 0; source + 1 < offsets.length; source++) {
    const end = offsets[source + 1]!;
    if (end > offsets[source]!) rows++;
    for (let place = offsets[source]!; place < end; place++) sum += weight[place]!;
  }
  return rows > 0 ? sum / rows : 0;
}
