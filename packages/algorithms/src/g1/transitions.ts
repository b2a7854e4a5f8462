import { countsToOffsets, sharedF32, sharedU32 } from '../arrays.ts';
import type { Interactions } from '../interactions.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';

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

/** Beyond ten events 1/gap adds only noise, and time. */
const widestGap = 10;
/** Shrinks sources that were seen only a few times, as if each had ten more observations of any item. */
const shrinkage = 10;
const popularityPower = -0.1;
const transitionsPerItem = 100;

const isTarget = 2;
const isLast = 1;

interface TransitionsInput extends Transitions {
  readonly items: number;
  /**
   * The item of each event times four, plus 2 for a target event, plus 1 for its user's last event. Packed, so that
   * there is one cache miss instead of three.
   */
  readonly step: Uint32Array;
  /** Where each item occurs, as indices into `step`. */
  readonly offsets: Uint32Array;
  readonly event: Uint32Array;
  readonly targetScale: Float32Array;
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
  const { users, items, item, type } = events;
  const step = sharedU32(item.length);
  const incoming = new Float64Array(items);
  const offsets = sharedU32(items + 1);
  for (let user = 0; user < users; user++) {
    const begin = events.offsets[user]!;
    const end = events.offsets[user + 1]!;
    let harmonic = 0;
    for (let place = begin; place < end; place++) {
      offsets[item[place]! + 1]!++;
      if (type[place] === 0) incoming[item[place]!]! += harmonic;
      step[place] = item[place]! * 4 + (type[place] === 0 ? isTarget : 0) + (place === end - 1 ? isLast : 0);
      if (place - begin < widestGap) harmonic += 1 / (place - begin + 1);
    }
  }
  countsToOffsets(offsets);
  const event = sharedU32(item.length);
  const cursor = offsets.slice();
  for (let place = 0; place < item.length; place++) event[cursor[item[place]!]!++] = place;
  const targetScale = sharedF32(items);
  for (let index = 0; index < items; index++) targetScale[index] = (incoming[index]! + 1) ** popularityPower;
  const k = Math.min(transitionsPerItem, items);
  const transitions = {
    k,
    count: sharedU32(items),
    target: sharedU32(items * k),
    weight: sharedF32(items * k),
  };
  const input = { ...transitions, items, step, offsets, event, targetScale };
  await executor.run(succession, input, items);
  return transitions;
}
