import { listLength } from '../evaluation/metrics.ts';
import { sliceEnds, sliceStart } from './slices.ts';
import { add, best, type Trend } from './trend.ts';

/** In hours. */
const windows = [1, 2, 3, 6, 12, 24, 48, 72, 168, 336, 720, 1440, 2160];
/** A week: used if there are too few events to choose on. */
export const defaultWindowHours = 168;
const fewestEvents = 100;
/** The newest events are predicted, in blocks: each from everything before it. */
const heldOutShare = 0.1;
const blocks = 4;
/** 95 % of a normal distribution is within this many standard deviations. */
const deviations = 1.96;

/**
 * Chooses the window whose most frequent items predict the next events of the type best: the longest of those that are
 * not significantly worse than the best, since a short window forgets more. Yields between steps of about a
 * millisecond.
 */
export function* chooseWindow(trend: Trend, type: string): Generator<undefined, number> {
  const counts = trend.countsOf(type);
  const total = counts?.count.reduce((sum, count) => sum + count, 0) ?? 0;
  const origins = counts && total >= fewestEvents ? findOrigins(counts, total) : [];
  if (!counts || origins.length === 0) return defaultWindowHours;
  const hits = new Map<number, number>();
  let predicted = 0;
  for (const [place, origin] of origins.entries()) {
    const next = inSlices(counts, origins[place - 1] ?? 0, origin);
    predicted += [...next.values()].reduce((sum, count) => sum + count, 0);
    const known = new Map<number, number>();
    let from = origin;
    for (const window of windows) {
      const to = sliceEnds.findLastIndex((end) => end - sliceStart(origin) <= window) + 1;
      // The window is shorter than the slices of that age.
      if (to <= origin) continue;
      for (const [item, count] of inSlices(counts, from, to)) add(known, item, count);
      from = to;
      const hit = best(known, listLength).reduce((sum, { item }) => sum + (next.get(item) ?? 0), 0);
      hits.set(window, (hits.get(window) ?? 0) + hit);
      yield;
    }
  }
  return longestOfTheBest(hits, predicted);
}

function longestOfTheBest(hits: ReadonlyMap<number, number>, predicted: number): number {
  const most = Math.max(0, ...hits.values());
  const share = most / predicted;
  const margin = deviations * Math.sqrt(predicted * share * (1 - share));
  return [...hits].findLast(([, count]) => count >= most - margin)?.[0] ?? defaultWindowHours;
}

type Counts = NonNullable<ReturnType<Trend['countsOf']>>;

/** The slices before which blocks of the newest events begin. Each has events before it. */
function findOrigins({ slice, count }: Counts, total: number): number[] {
  const origins: number[] = [];
  const block = (total * heldOutShare) / blocks;
  let seen = 0;
  for (const [place, one] of slice.entries()) {
    seen += count[place]!;
    const isEnd = slice[place + 1] !== one;
    if (!isEnd || seen < block * (origins.length + 1)) continue;
    // One slice may hold more than a block, or all events.
    if (seen > total / 2) break;
    origins.push(one + 1);
    if (origins.length === blocks) break;
  }
  return origins;
}

/** The counts by item from slice `from` to the one before `to`. */
function inSlices({ slice, item, count }: Counts, from: number, to: number): Map<number, number> {
  const sums = new Map<number, number>();
  for (let place = firstOf(slice, from); place < slice.length && slice[place]! < to; place++)
    add(sums, item[place]!, count[place]!);
  return sums;
}

/** The first place of a slice, or of the next one that has events. */
function firstOf(ascending: readonly number[], slice: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < slice) low = middle + 1;
    else high = middle;
  }
  return low;
}
