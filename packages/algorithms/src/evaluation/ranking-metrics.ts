/**
 * Measures a ranked list against the user's held-out items. Both metrics use the full catalogue: the list has the best
 * of all items, not of a sample (Krichene and Rendle 2020, "On sampled metrics for item recommendation").
 */

/** The share of the relevant items that are among the first `k`. */
export function recall(ranked: readonly number[], relevant: ReadonlySet<number>, k: number): number {
  if (relevant.size === 0) return Number.NaN;
  return ranked.slice(0, k).filter((item) => relevant.has(item)).length / relevant.size;
}

/**
 * A gain of 1 for each relevant item, discounted by the logarithm of its rank, divided by that of the best possible
 * list of `k` (Järvelin and Kekäläinen 2002).
 */
export function ndcg(ranked: readonly number[], relevant: ReadonlySet<number>, k: number): number {
  if (relevant.size === 0) return Number.NaN;
  const gained = ranked
    .slice(0, k)
    .reduce((sum, item, place) => sum + (relevant.has(item) ? discount(place) : 0), 0);
  const best = Array.from({ length: Math.min(k, relevant.size) }, (_, place) => discount(place));
  return gained / best.reduce((sum, value) => sum + value, 0);
}

const discount = (place: number) => 1 / Math.log2(place + 2);
