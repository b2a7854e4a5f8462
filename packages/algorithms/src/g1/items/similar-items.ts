import { TopK } from '../../lib/top-k.ts';
import type { ItemMap } from './map.ts';

/** Items of the model and how similar each is, best first. */
export interface SimilarItems {
  readonly item: Uint32Array;
  readonly amount: Float64Array;
}

const maxItems = 200;

/**
 * The items that lead to an item with these features, by their rows of the map. Without the constant, which says to how many
 * items an item leads, not to which.
 */
export function findSimilar({ rows, features }: ItemMap, own: Uint32Array, items: Uint32Array): SimilarItems {
  const { offsets, feature, value, scale } = rows;
  const has = new Uint8Array(features.count);
  for (const one of own) if (one > 0) has[one] = 1;
  const best = new TopK(maxItems);
  for (const item of items) {
    let sum = 0;
    for (let place = offsets[item]!; place < offsets[item + 1]!; place++)
      if (has[feature[place]!] === 1) sum += value[place]!;
    if (sum > 0) best.offer(item, sum * scale[item]!);
  }
  best.sort();
  return { item: best.indices.slice(0, best.size), amount: best.scores.slice(0, best.size) };
}
