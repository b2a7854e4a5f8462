import type { Kernel } from '../../kernels/parallel.ts';
import { TopK } from '../../lib/top-k.ts';
import { isLast, isTarget, type Steps, shrinkage, widestGap } from '../data/steps-of-events.ts';
import { eachEarlier } from './pair-index.ts';

export const targetsPerPair = 30;

interface TargetsInput extends Steps {
  readonly items: number;
  /** Pairs that occur less often are left out. */
  readonly fewest: number;
  readonly pairOffsets: Uint32Array;
  readonly earlier: Uint32Array;
  readonly count: Uint32Array;
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

/** Fills the pairs in which the items from `from` to `to` come later. */
function prepare(input: TargetsInput): (from: number, to: number) => void {
  const { items, fewest, step, targetScale, pairOffsets, count, target, weight } = input;
  const times = new Uint32Array(items);
  const cursor = new Uint32Array(items);
  const sum = new Float64Array(items);
  const shares = Float64Array.from({ length: widestGap + 1 }, (_, gap) => 1 / gap);
  const best = new TopK(targetsPerPair);
  // Where the pairs of one item occur, pair by pair.
  let event = new Uint32Array(1024);
  let distance = new Uint8Array(1024);

  const fill = (pair: number, first: number, end: number) => {
    const touched: number[] = [];
    let total = 0;
    for (let place = first; place < end; place++) {
      const start = event[place]!;
      const share = shares[distance[place]!]!;
      let now = step[start]!;
      const own = now >>> 2;
      for (let gap = 1; gap <= widestGap && (now & isLast) === 0; gap++) {
        now = step[start + gap]!;
        const other = now >>> 2;
        if (other === own || (now & isTarget) === 0) continue;
        if (sum[other] === 0) touched.push(other);
        sum[other]! += share * shares[gap]!;
        total += share * shares[gap]!;
      }
    }
    best.clear();
    for (const other of touched) {
      best.offer(other, (sum[other]! / (total + shrinkage)) * targetScale[other]!);
      sum[other] = 0;
    }
    count[pair] = best.size;
    target.set(best.indices.subarray(0, best.size), pair * targetsPerPair);
    weight.set(best.scores.subarray(0, best.size), pair * targetsPerPair);
  };

  return (from, to) => {
    for (let later = from; later < to; later++) {
      const first = pairOffsets[later]!;
      if (pairOffsets[later + 1] === first) continue;
      const touched: number[] = [];
      eachEarlier(input, later, (earlier) => {
        if (times[earlier]!++ === 0) touched.push(earlier);
      });
      const kept = touched.filter((earlier) => times[earlier]! >= fewest).sort((a, b) => a - b);
      const ends: number[] = [];
      let size = 0;
      for (const earlier of kept) {
        cursor[earlier] = size;
        size += times[earlier]!;
        ends.push(size);
      }
      if (size > event.length) {
        event = new Uint32Array(2 * size);
        distance = new Uint8Array(2 * size);
      }
      eachEarlier(input, later, (earlier, place, apart) => {
        if (times[earlier]! < fewest) return;
        const slot = cursor[earlier]!++;
        event[slot] = place;
        distance[slot] = apart;
      });
      for (const [index, earlier] of kept.entries()) {
        input.earlier[first + index] = earlier;
        fill(first + index, ends[index - 1] ?? 0, ends[index]!);
      }
      for (const earlier of touched) times[earlier] = 0;
    }
  };
}

export const pairTargets: Kernel<TargetsInput> = { name: 'pair targets', prepare };
