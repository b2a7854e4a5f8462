import { sharedF32, sharedI8 } from '../../lib/arrays.ts';
import type { ScaledFactors } from '../../low-rank/scale.ts';

/**
 * The low-rank part of a model: `rank` factors per item. An item j that is among the best by the rest of the score gains
 *
 *     target_j * sum_i h_i source_i (factor_i . factor_j)
 *
 * over the items i of the user's history, with their weights h_i. Without a low-rank part, rank and arrays are empty.
 */
export interface StoredFactors {
  readonly rank: number;
  /** items x rank, relative to the largest of an item. */
  readonly factor: Int8Array;
  /** By item: what its factors are multiplied by as evidence, and as a candidate. */
  readonly source: Float32Array;
  readonly target: Float32Array;
}

export const noFactors: StoredFactors = {
  rank: 0,
  factor: sharedI8(0),
  source: sharedF32(0),
  target: sharedF32(0),
};

/** The value of the largest factor of an item. */
const factorSteps = 127;

/** d_i^-1/2 and d_j^1/4: an item's weight in a user's taste, and what a popular candidate gains. */
export function factorScales(degree: Float64Array, items: number): Pick<ScaledFactors, 'source' | 'target'> {
  const source = sharedF32(items);
  const target = sharedF32(items);
  for (let item = 0; item < items; item++) {
    const own = Math.max(1, degree[item]!);
    source[item] = own ** -0.5;
    target[item] = own ** 0.25;
  }
  return { source, target };
}

/** The first `rank` factors in 8 bits each. `gain` is what the part is multiplied by. */
export function storeFactors(
  { stride, vector, ...scales }: ScaledFactors,
  rank: number,
  gain: number,
): StoredFactors {
  const items = scales.source.length;
  const stored = { factor: sharedI8(items * rank), source: sharedF32(items), target: sharedF32(items) };
  for (let item = 0; item < items; item++) {
    const own = vector.subarray(item * stride, item * stride + rank);
    const step = own.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) / factorSteps;
    stored.source[item] = scales.source[item]! * step;
    stored.target[item] = gain * scales.target[item]! * step;
    if (step > 0) for (let k = 0; k < rank; k++) stored.factor[item * rank + k] = Math.round(own[k]! / step);
  }
  return { rank, ...stored };
}
