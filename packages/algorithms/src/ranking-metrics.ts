/**
 * How good a ranked list is, against the items that the user turned out to want. Both are over the full
 * catalogue: the list is the best of all items, not of a sample (Krichene and Rendle 2020, "On sampled metrics
 * for item recommendation").
 */

/** The share of the wanted items that stand among the first `k`. */
export function recall(ranked: readonly number[], wanted: ReadonlySet<number>, k: number): number {
  if (wanted.size === 0) return Number.NaN;
  return ranked.slice(0, k).filter((item) => wanted.has(item)).length / wanted.size;
}

/**
 * Gain of 1 for each wanted item, discounted by the logarithm of its place, over that of the best possible list of
 * `k` (Järvelin and Kekäläinen 2002).
 */
export function ndcg(ranked: readonly number[], wanted: ReadonlySet<number>, k: number): number {
  if (wanted.size === 0) return Number.NaN;
  const gained = ranked
    .slice(0, k)
    .reduce((sum, item, place) => sum + (wanted.has(item) ? discount(place) : 0), 0);
  const best = Array.from({ length: Math.min(k, wanted.size) }, (_, place) => discount(place));
  return gained / best.reduce((sum, value) => sum + value, 0);
}

const discount = (place: number) => 1 / Math.log2(place + 2);
