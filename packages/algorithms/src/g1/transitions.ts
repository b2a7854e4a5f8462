import { countsToOffsets, sharedF32, sharedU8, sharedU32 } from '../arrays.ts';
import type { Interactions } from '../interactions.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';

/**
 * What follows what: Q_ij is the sum of 1/gap over the places where target event j comes `gap` events after i, at most
 * ten, over (row sum + 10), times (in_j + 1)^-0.1; the 100 largest of each source.
 */
export interface Transitions {
  readonly k: number;
  readonly count: Uint32Array;
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

/** Beyond ten events 1/gap adds noise, and the walk costs. */
const widestGap = 10;
/** Shrinks sources that were seen a few times: ten observations' worth of "anything may follow". */
const shrinkage = 10;
const popularityPower = -0.1;
const transitionsPerItem = 100;

interface TransitionsInput extends Transitions {
  readonly items: number;
  readonly item: Uint32Array;
  readonly type: Uint8Array;
  /** 1 at the last event of each user. */
  readonly last: Uint8Array;
  /** Where each item occurs, as places in `item`. */
  readonly offsets: Uint32Array;
  readonly event: Uint32Array;
  readonly targetScale: Float32Array;
}

function prepare(input: TransitionsInput): (from: number, to: number) => void {
  const { item, type, last, offsets, event, targetScale, k, count, target, weight } = input;
  const sum = new Float64Array(input.items);
  const touched = new Uint32Array(input.items);
  const best = new TopK(k);
  return (from, to) => {
    for (let source = from; source < to; source++) {
      let size = 0;
      let total = 0;
      for (let cell = offsets[source]!; cell < offsets[source + 1]!; cell++) {
        const start = event[cell]!;
        for (let gap = 1; gap <= widestGap && last[start + gap - 1] === 0; gap++) {
          const other = item[start + gap]!;
          if (other === source || type[start + gap] !== 0) continue;
          if (sum[other] === 0) touched[size++] = other;
          sum[other]! += 1 / gap;
          total += 1 / gap;
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
  const last = sharedU8(item.length);
  const incoming = new Float64Array(items);
  const offsets = sharedU32(items + 1);
  for (let user = 0; user < users; user++) {
    const begin = events.offsets[user]!;
    const end = events.offsets[user + 1]!;
    if (end > begin) last[end - 1] = 1;
    let harmonic = 0;
    for (let place = begin; place < end; place++) {
      offsets[item[place]! + 1]!++;
      if (type[place] === 0) incoming[item[place]!]! += harmonic;
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
  const input = { ...transitions, items, item, type, last, offsets, event, targetScale };
  await executor.run(succession, input, items);
  return transitions;
}
