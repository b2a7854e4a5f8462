import type { Interactions } from '../../data/interactions.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { sharedF32, sharedU32 } from '../../lib/arrays.ts';
import { TopK } from '../../lib/top-k.ts';
import { appendRows, type Entries } from '../data/entries.ts';
import { isLast, isTarget, layOutSteps, type Steps, shrinkage, widestGap } from '../data/steps-of-events.ts';
import { cutWindows, defaultWindowBytes, largestOf } from '../data/windows.ts';

/**
 * Which item follows which. Q_ij is the sum of 1/gap over all places where target event j comes `gap` (at most ten)
 * events after i, divided by (row sum + 10), times (in_j + 1)^-0.1. The 100 largest of each source are kept.
 */
export type Transitions = Entries;

export const transitionsPerItem = 100;

/** A window of sources, the first of which is `first`. Each has room for `k` targets. */
interface TransitionsInput extends Steps {
  readonly items: number;
  readonly first: number;
  readonly k: number;
  readonly count: Uint32Array;
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

function prepare(input: TransitionsInput): (from: number, to: number) => void {
  const { step, offsets, event, targetScale, first, k, count, target, weight } = input;
  const sum = new Float64Array(input.items);
  const touched = new Uint32Array(input.items + 1);
  const shares = Float64Array.from({ length: widestGap + 1 }, (_, gap) => 1 / gap);
  const best = new TopK(k);
  return (from, to) => {
    for (let place = from; place < to; place++) {
      const source = first + place;
      let size = 0;
      let total = 0;
      for (let cell = offsets[source]!; cell < offsets[source + 1]!; cell++) {
        const start = event[cell]!;
        let now = step[start]!;
        for (let gap = 1; gap <= widestGap && (now & isLast) === 0; gap++) {
          now = step[start + gap]!;
          const other = now >>> 2;
          if (other === source || (now & isTarget) === 0) continue;
          const before = sum[other]!;
          // Always written, but `size` advances only the first time: faster than a branch that is hard to predict.
          touched[size] = other;
          size += before === 0 ? 1 : 0;
          sum[other] = before + shares[gap]!;
          total += shares[gap]!;
        }
      }
      best.clear();
      for (let index = 0; index < size; index++) {
        const other = touched[index]!;
        best.offer(other, (sum[other]! / (total + shrinkage)) * targetScale[other]!);
        sum[other] = 0;
      }
      target.set(best.indices.subarray(0, best.size), place * k);
      weight.set(best.scores.subarray(0, best.size), place * k);
      count[place] = best.size;
    }
  };
}

export const succession: Kernel<TransitionsInput> = { name: 'succession', prepare };

/** Finds those of a window of sources after the other. */
export async function findTransitions(
  events: Interactions,
  executor: Executor,
  windowBytes = defaultWindowBytes,
): Promise<Transitions> {
  const { items } = events;
  const k = Math.min(transitionsPerItem, items);
  // What is not used takes no memory.
  const found = { offsets: sharedU32(items + 1), target: sharedU32(items * k), weight: sharedF32(items * k) };
  const steps = layOutSteps(events);
  const windows = cutWindows(items, () => 4 + 8 * k, windowBytes);
  const sources = largestOf(windows, ({ from, to }) => to - from);
  const count = sharedU32(sources);
  const target = sharedU32(sources * k);
  const weight = sharedF32(sources * k);
  for (const window of windows) {
    const input = { ...steps, items, first: window.from, k, count, target, weight };
    await executor.run(succession, input, window.to - window.from);
    appendRows(found.offsets, window, k, count, [
      { from: target, to: found.target },
      { from: weight, to: found.weight },
    ]);
  }
  return found;
}
