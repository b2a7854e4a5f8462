import { sharedF32, sharedI8 } from '../arrays.ts';

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
