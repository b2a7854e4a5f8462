import { sharedF32, sharedU32 } from '../../lib/arrays.ts';
import { type Pairs, pairMass } from './find-pairs.ts';
import type { Support } from './support.ts';
import type { Transitions } from './transitions.ts';

/**
 * A model before it is stored. Taste and transitions are kept apart, and everything that needs no new fit is a number
 * beside them, so that a search can vary those numbers without rebuilding the model.
 */
export interface Scorer {
  readonly items: number;
  /** By source, where its targets begin. */
  readonly tasteOffsets: Uint32Array;
  readonly tasteTarget: Uint32Array;
  readonly tasteWeight: Float32Array;
  /** By token: d_i^a for sources, d_j^-a for targets. */
  readonly sourceScale: Float32Array;
  readonly targetScale: Float32Array;
  /** Each part's share divided by its mean row mass; 0 leaves the part out. */
  readonly tasteScale: number;
  readonly transitionOffsets: Uint32Array;
  readonly transitionTarget: Uint32Array;
  readonly transitionWeight: Float32Array;
  readonly transitionScale: number;
  /** Second-order transitions, and their weight divided by their mean row mass. */
  readonly pairs: Pairs | undefined;
  readonly pairScale: number;
  readonly recency: number;
  /** All items, the most popular first. They fill up a list for which there is too little evidence. */
  readonly popular: Uint32Array;
}

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
  taste: Taste,
  transitions: Transitions | undefined,
  parameters: ScoreParameters,
  popularity = taste.degree,
  pairs?: Pairs,
): Scorer {
  const { support, weight, degree, items } = taste;
  const { a } = parameters;
  const mass = tasteMass(taste, a);
  const next = transitions && parameters.transitions > 0 ? transitions : none;
  const nextMass = transitionMass(next);
  const share = nextMass > 0 ? parameters.transitions : 0;
  const secondMass = pairs ? massOfPairs(pairs) : 0;
  const pairScale = secondMass > 0 ? parameters.pairs / secondMass : 0;
  return {
    items,
    sourceScale: powers(degree, a),
    targetScale: powers(degree, -a),
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
    popular: popularOf(popularity, items),
  };
}

export function mostPopular(popularity: Float64Array, items: number): Uint32Array {
  const popular = sharedU32(items);
  for (let item = 0; item < items; item++) popular[item] = item;
  return popular.sort((one, other) => popularity[other]! - popularity[one]! || one - other);
}

/** Keeps results by object and number: a search builds many scorers from the same fit. */
function memoize<Key extends object, Value>(
  compute: (key: Key, number: number) => Value,
): (key: Key, number?: number) => Value {
  const known = new WeakMap<Key, Map<number, Value>>();
  return (key, number = 0) => {
    const values = known.get(key) ?? new Map<number, Value>();
    known.set(key, values);
    const value = values.get(number) ?? compute(key, number);
    values.set(number, value);
    return value;
  };
}

const popularOf = memoize(mostPopular);
const massOfPairs = memoize(pairMass);

/** By token: max(1, degree)^exponent. */
const powers = memoize((degree: Float64Array, exponent: number) => {
  const scale = sharedF32(degree.length);
  for (let token = 0; token < degree.length; token++) scale[token] = Math.max(1, degree[token]!) ** exponent;
  return scale;
});

const tasteMass = memoize(({ support: { offsets, target }, weight, degree, items }: Taste, a: number) => {
  const [sourceScale, targetScale] = [powers(degree, a), powers(degree, -a)];
  let sum = 0;
  let rows = 0;
  for (let source = 0; source < items; source++) {
    const end = offsets[source + 1]!;
    if (end > offsets[source]!) rows++;
    for (let place = offsets[source]!; place < end; place++)
      sum += Math.abs(weight[place]!) * sourceScale[source]! * targetScale[target[place]!]!;
  }
  return rows > 0 ? sum / rows : 0;
});

const transitionMass = memoize(({ offsets, weight }: Transitions) => {
  let sum = 0;
  let rows = 0;
  for (let source = 0; source + 1 < offsets.length; source++) {
    const end = offsets[source + 1]!;
    if (end > offsets[source]!) rows++;
    for (let place = offsets[source]!; place < end; place++) sum += weight[place]!;
  }
  return rows > 0 ? sum / rows : 0;
});
