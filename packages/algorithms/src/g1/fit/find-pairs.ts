import type { Interactions } from '../../data/interactions.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { countsToOffsets, sharedF32, sharedU32 } from '../../lib/arrays.ts';
import { layOutSteps, type Steps } from '../data/steps-of-events.ts';
import { eachEarlier, type PairIndex } from './pair-index.ts';
import { pairTargets, targetsPerPair } from './pair-targets.ts';

/**
 * Second-order transitions: what follows when an item comes soon after another one. Row (a, b), for an item `a` that comes
 * at most five events after `b`, holds the sum of 1/distance * 1/gap over all places where a target event comes `gap` (at most
 * ten) events after a, divided by (row sum + 10), times (in_j + 1)^-0.1. The 30 largest of each row are kept.
 */
export interface Pairs extends PairIndex {
  readonly count: Uint32Array;
  /** Those of pair p begin at p * targetsPerPair. */
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

const maxPairs = 2 ** 18;
/** A pair must occur so often: the lowest of these that keeps few enough. Fewer than five say little, and tell what one user did. */
const thresholds = Array.from({ length: 25 }, (_, level) => Math.ceil(5 * 2 ** (level / 2)));

/** Per pair: its row and its earlier item, in the arrays of a training and in those of a model. */
const trainingBytesPerPair = 8 + 8 * targetsPerPair;
const modelBytesPerPair = 12 + 5 * targetsPerPair;

/**
 * The most memory that pairs can need, in which the search, the final fit and the model have their own. Each event comes
 * after at most `pairWindow` others, and each pair needs at least as many occurrences, so there are no more pairs than
 * events.
 */
export const pairBytes = (events: number) =>
  Math.min(maxPairs, events) * (2 * trainingBytesPerPair + modelBytesPerPair);

interface CountsInput extends Steps {
  readonly items: number;
  /** By item and threshold, how many pairs in which the item comes later occur at least so often. */
  readonly atLeast: Uint32Array;
}

function prepare(input: CountsInput): (from: number, to: number) => void {
  const { items, atLeast } = input;
  const times = new Uint32Array(items);
  return (from, to) => {
    for (let later = from; later < to; later++) {
      const touched: number[] = [];
      eachEarlier(input, later, (earlier) => {
        if (times[earlier]!++ === 0) touched.push(earlier);
      });
      for (const earlier of touched) {
        for (let level = 0; level < thresholds.length && times[earlier]! >= thresholds[level]!; level++)
          atLeast[later * thresholds.length + level]!++;
        times[earlier] = 0;
      }
    }
  };
}

export const pairCounts: Kernel<CountsInput> = { name: 'pair counts', prepare };

export async function findPairs(events: Interactions, executor: Executor): Promise<Pairs> {
  const { items } = events;
  const steps = layOutSteps(events);
  const levels = thresholds.length;
  const atLeast = sharedU32(items * levels);
  await executor.run(pairCounts, { ...steps, items, atLeast }, items);
  const totalOf = (level: number) => {
    let total = 0;
    for (let item = 0; item < items; item++) total += atLeast[item * levels + level]!;
    return total;
  };
  let level = 0;
  while (level < levels - 1 && totalOf(level) > maxPairs) level++;
  const offsets = sharedU32(items + 1);
  for (let item = 0; item < items; item++) offsets[item + 1] = atLeast[item * levels + level]!;
  countsToOffsets(offsets);
  const size = offsets[items]!;
  const pairs: Pairs = {
    offsets,
    earlier: sharedU32(size),
    count: sharedU32(size),
    target: sharedU32(size * targetsPerPair),
    weight: sharedF32(size * targetsPerPair),
  };
  await executor.run(
    pairTargets,
    { ...pairs, ...steps, pairOffsets: offsets, items, fewest: thresholds[level]! },
    items,
  );
  return pairs;
}

/** The mean sum of a row, so that a weight of the pairs means the same for any data. */
export function pairMass({ count, weight }: Pairs): number {
  let sum = 0;
  for (let pair = 0; pair < count.length; pair++)
    for (let place = pair * targetsPerPair; place < pair * targetsPerPair + count[pair]!; place++)
      sum += weight[place]!;
  return count.length > 0 ? sum / count.length : 0;
}
