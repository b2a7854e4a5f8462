import { sharedF32, sharedU32 } from '../arrays.ts';
import type { Interactions } from '../interactions.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';
import { isLast, isTarget, layOutSteps, type Steps, shrinkage, widestGap } from './steps-of-events.ts';

/**
 * Which item follows which. Q_ij is the sum of 1/gap over all places where target event j comes `gap` (at most ten)
 * events after i, divided by (row sum + 10), times (in_j + 1)^-0.1. The 100 largest of each source are kept.
 */
export interface Transitions {
  readonly k: number;
  readonly count: Uint32Array;
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

const transitionsPerItem = 100;

interface TransitionsInput extends Transitions, Steps {
  readonly items: number;
}

function prepare(input: TransitionsInput): (from: number, to: number) => void {
  const { step, offsets, event, targetScale, k, count, target, weight } = input;
  const sum = new Float64Array(input.items);
  const touched = new Uint32Array(input.items + 1);
  const shares = Float64Array.from({ length: widestGap + 1 }, (_, gap) => 1 / gap);
  const best = new TopK(k);
  return (from, to) => {
    for (let source = from; source < to; source++) {
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
      target.set(best.indices.subarray(0, best.size), source * k);
      weight.set(best.scores.subarray(0, best.size), source * k);
      count[source] = best.size;
    }
  };
}

export const succession: Kernel<TransitionsInput> = { name: 'succession', prepare };

export async function findTransitions(events: Interactions, executor: Executor): Promise<Transitions> {
  const { items } = events;
  const k = Math.min(transitionsPerItem, items);
  const transitions = {
    k,
    count: sharedU32(items),
    target: sharedU32(items * k),
    weight: sharedF32(items * k),
  };
  await executor.run(succession, { ...transitions, items, ...layOutSteps(events) }, items);
  return transitions;
}
