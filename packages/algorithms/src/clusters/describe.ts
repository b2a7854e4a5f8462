import { countsToOffsets } from '../lib/arrays.ts';
import { TopK } from '../lib/top-k.ts';
import type { Distinction, ItemsByValue } from './clustering.ts';
import type { TasteRows } from './taste-rows.ts';

export interface Description {
  readonly items: readonly Distinction[];
  readonly values: readonly Distinction[];
}

const maxDistinctions = 10;
/** A lower lift does not distinguish a cluster. */
const minLift = 1.1;
/** Threshold for the likelihood ratio; chance exceeds it once in a thousand times. */
const minLikelihoodRatio = 10.83;
/** A value carried by fewer items says no more than the items themselves. */
const minItemsPerValue = 3;
/** A value that a larger share of the items has does not distinguish anything. */
const maxShareOfItems = 0.9;

/** What distinguishes each cluster from everyone who has events. One pass over the pairs, and one per cluster over the values. */
export function describeClusters(
  rows: TasteRows,
  clusterOf: Int32Array,
  clusters: number,
  values: ItemsByValue | undefined,
): Description[] {
  const ofAll = new Uint32Array(rows.items);
  for (const item of rows.item) ofAll[item]!++;
  let everyone = 0;
  for (let user = 0; user < rows.rows; user++) if (rows.offsets[user + 1]! > rows.offsets[user]!) everyone++;
  const members = usersByCluster(clusterOf, clusters);
  const ofGroup = new Uint32Array(rows.items);
  return Array.from({ length: clusters }, (_, cluster) => {
    const users = members.user.subarray(members.offsets[cluster], members.offsets[cluster + 1]);
    ofGroup.fill(0);
    let pairs = 0;
    for (const user of users) {
      const end = rows.offsets[user + 1]!;
      for (let cell = rows.offsets[user]!; cell < end; cell++) ofGroup[rows.item[cell]!]!++;
      pairs += end - rows.offsets[user]!;
    }
    const group = { pairs, pairsOfAll: rows.item.length };
    return {
      items: distinguish(
        { ...group, counts: ofGroup, countsOfAll: ofAll },
        { share: users.length, ofAll: everyone },
      ),
      values: values
        ? distinguish(
            { ...group, counts: sumByValue(values, ofGroup), countsOfAll: sumByValue(values, ofAll) },
            { share: pairs, ofAll: rows.item.length },
          )
        : [],
    };
  });
}

/** Numbers of user-item pairs in the cluster and overall, by item or by value. */
interface Counts {
  readonly counts: Uint32Array | Float64Array;
  readonly countsOfAll: Uint32Array | Float64Array;
  readonly pairs: number;
  readonly pairsOfAll: number;
}

/**
 * By Dunning's log-likelihood ratio, which weighs the lift against the number of observations: an item shared by two
 * users of a cluster does not outrank one that half of them have. Shares are of pairs, so that a cluster of very active
 * users does not appear to prefer everything.
 */
function distinguish(table: Counts, total: { share: number; ofAll: number }): Distinction[] {
  const { counts, countsOfAll, pairs, pairsOfAll } = table;
  const best = new TopK(maxDistinctions);
  const liftOf = (index: number) => counts[index]! / pairs / (countsOfAll[index]! / pairsOfAll);
  for (let index = 0; index < counts.length; index++) {
    if (!(counts[index]! > 0 && liftOf(index) >= minLift)) continue;
    const evidence = likelihoodRatio(counts[index]!, pairs, countsOfAll[index]!, pairsOfAll);
    if (evidence >= minLikelihoodRatio) best.offer(index, evidence);
  }
  best.sort();
  return Array.from(best.indices.subarray(0, best.size), (index) => ({
    index,
    share: counts[index]! / total.share,
    shareOfAll: countsOfAll[index]! / total.ofAll,
    lift: liftOf(index),
  }));
}

/** Twice the log of how much likelier the counts are if the cluster has its own share than if it has everyone's. */
function likelihoodRatio(count: number, pairs: number, countOfAll: number, pairsOfAll: number): number {
  const rest = countOfAll - count;
  const term = (seen: number, row: number, column: number) =>
    seen > 0 ? seen * Math.log((seen * pairsOfAll) / (row * column)) : 0;
  return (
    2 *
    (term(count, pairs, countOfAll) +
      term(pairs - count, pairs, pairsOfAll - countOfAll) +
      term(rest, pairsOfAll - pairs, countOfAll) +
      term(pairsOfAll - pairs - rest, pairsOfAll - pairs, pairsOfAll - countOfAll))
  );
}

/** 0 for values that too few or too many items have. */
function sumByValue({ offsets, items }: ItemsByValue, counts: Uint32Array): Float64Array {
  const sums = new Float64Array(offsets.length - 1);
  for (let value = 0; value < sums.length; value++) {
    const carriers = offsets[value + 1]! - offsets[value]!;
    if (carriers < minItemsPerValue || carriers > counts.length * maxShareOfItems) continue;
    for (let place = offsets[value]!; place < offsets[value + 1]!; place++)
      sums[value]! += counts[items[place]!]!;
  }
  return sums;
}

/** Each cluster's users, ascending. */
function usersByCluster(
  clusterOf: Int32Array,
  clusters: number,
): { offsets: Uint32Array; user: Uint32Array } {
  const offsets = new Uint32Array(clusters + 1);
  for (const cluster of clusterOf) if (cluster >= 0) offsets[cluster + 1]!++;
  countsToOffsets(offsets);
  const user = new Uint32Array(offsets[clusters]!);
  const next = offsets.slice();
  for (let index = 0; index < clusterOf.length; index++)
    if (clusterOf[index]! >= 0) user[next[clusterOf[index]!]!++] = index;
  return { offsets, user };
}
