import { sharedF32, sharedU32 } from '../lib/arrays.ts';
import { type Estimate, estimate, intervalAround, squares } from '../statistics/interval.ts';

/** The length of the lists on which quality is measured. */
export const listLength = 20;
/** Marks an empty place in a list with too few items. */
export const noItem = 0xffffffff;

/** For each user `listLength` recommended items, and the two metrics. */
export interface Evaluation {
  readonly list: Uint32Array;
  readonly recall: Float32Array;
  readonly ndcg: Float32Array;
}

/** Evaluations of several candidates on the same users, one after the other in shared arrays that threads fill. */
export function newEvaluations(candidates: number, users: number): { all: Evaluation; each: Evaluation[] } {
  const total = candidates * users;
  const all = { list: sharedU32(total * listLength), recall: sharedF32(total), ndcg: sharedF32(total) };
  const each = Array.from({ length: candidates }, (_, place) => {
    const [from, to] = [place * users, (place + 1) * users];
    return {
      list: all.list.subarray(from * listLength, to * listLength),
      recall: all.recall.subarray(from, to),
      ndcg: all.ndcg.subarray(from, to),
    };
  });
  return { all, each };
}

/** Recall and NDCG at `listLength` of one list, ignoring its empty places. */
export function gainOf(list: Uint32Array, relevant: ReadonlySet<number>): { recall: number; ndcg: number } {
  let hits = 0;
  let gain = 0;
  for (let place = 0; place < list.length; place++)
    if (relevant.has(list[place]!)) {
      hits++;
      gain += 1 / Math.log2(place + 2);
    }
  let ideal = 0;
  for (let place = 0; place < Math.min(listLength, relevant.size); place++) ideal += 1 / Math.log2(place + 2);
  return relevant.size > 0 ? { recall: hits / relevant.size, ndcg: gain / ideal } : { recall: 0, ndcg: 0 };
}

/** Writes the metrics of one list at this place. */
export function measureList(
  { recall, ndcg }: Evaluation,
  place: number,
  list: Uint32Array,
  relevant: ReadonlySet<number>,
): void {
  const gain = gainOf(list, relevant);
  recall[place] = gain.recall;
  ndcg[place] = gain.ndcg;
}

export interface Metrics {
  readonly users: number;
  readonly recall20: Estimate;
  readonly ndcg20: Estimate;
  /** The share of all items that were recommended to somebody. */
  readonly coverage: Estimate;
}

export function summarise({ list, recall, ndcg }: Evaluation, items: number): Metrics {
  return {
    users: recall.length,
    recall20: estimate(recall),
    ndcg20: estimate(ndcg),
    coverage: coverage(list, items),
  };
}

/** Not a mean over users, so by the jackknife (Tukey 1958): a user counts by the items recommended to nobody else. */
function coverage(list: Uint32Array, items: number): Estimate {
  const times = new Map<number, number>();
  for (const item of list) if (item !== noItem) times.set(item, (times.get(item) ?? 0) + 1);
  const users = list.length / listLength;
  const lost = new Float64Array(users);
  for (const [place, item] of list.entries())
    if (times.get(item) === 1) lost[Math.floor(place / listLength)]! += 1 / items;
  const error = users > 0 ? Math.sqrt((squares(lost) * (users - 1)) / users) : 0;
  return intervalAround(items > 0 ? times.size / items : 0, error, users);
}

/**
 * The share of the relevant items that are among the first `k`. Both metrics use the full catalogue: the list has the
 * best of all items, not of a sample (Krichene and Rendle 2020, "On sampled metrics for item recommendation").
 */
export function recall(ranked: readonly number[], relevant: ReadonlySet<number>, k: number): number {
  if (relevant.size === 0) return Number.NaN;
  return ranked.slice(0, k).filter((item) => relevant.has(item)).length / relevant.size;
}

/** Gains of relevant items, discounted by the logarithm of the rank, over those of the best list (Järvelin, Kekäläinen 2002). */
export function ndcg(ranked: readonly number[], relevant: ReadonlySet<number>, k: number): number {
  if (relevant.size === 0) return Number.NaN;
  const gained = ranked
    .slice(0, k)
    .reduce((sum, item, place) => sum + (relevant.has(item) ? discount(place) : 0), 0);
  const best = Array.from({ length: Math.min(k, relevant.size) }, (_, place) => discount(place));
  return gained / best.reduce((sum, value) => sum + value, 0);
}

const discount = (place: number) => 1 / Math.log2(place + 2);
