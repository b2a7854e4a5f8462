import { TopK } from '../../lib/top-k.ts';
import type { ItemMap } from './map.ts';

/** Items of the model and how similar each is, best first. */
export interface SimilarItems {
  readonly item: Uint32Array;
  readonly amount: Float64Array;
}

const maxItems = 200;
/** Items that are compared with an item that the model does not know: at most 5 million additions, and the result is kept. */
const maxCompared = 250_000;
/** Results that are kept: at most 3 kB each. */
const maxSimilar = 500;

export class SimilarFinder {
  readonly #map: ItemMap;
  /** By features. */
  readonly #found = new Map<string, SimilarItems>();

  constructor(map: ItemMap) {
    this.#map = map;
  }

  /** The items whose users the map expects to like an item with these features, the best of the first of `items`. */
  to(features: Uint32Array, items: Uint32Array): SimilarItems {
    const key = features.join();
    const known = this.#found.get(key);
    if (known) return known;
    const found = findSimilar(this.#map, features, items.subarray(0, maxCompared));
    if (this.#found.size >= maxSimilar) this.#found.clear();
    this.#found.set(key, found);
    return found;
  }
}

/** The items that lead to one with these features. Without the constant: it says to how many an item leads, not to which. */
function findSimilar({ rows, features }: ItemMap, own: Uint32Array, items: Uint32Array): SimilarItems {
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
