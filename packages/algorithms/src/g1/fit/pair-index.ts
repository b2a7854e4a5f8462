import { find } from '../../lib/find.ts';
import { isLast, type Steps } from '../data/steps-of-events.ts';

/** How far apart the two items of a pair may be. */
export const pairWindow = 5;

/** The pairs of a model. Pair p has the earlier item earlier[p]; those whose later item is i are from offsets[i] to offsets[i + 1]. */
export interface PairIndex {
  readonly offsets: Uint32Array;
  /** Ascending among pairs with the same later item. */
  readonly earlier: Uint32Array;
}

/** The events at most `pairWindow` before those with an item, unless nothing follows. */
export function eachEarlier(
  { step, offsets, event }: Steps,
  later: number,
  visit: (earlier: number, place: number, apart: number) => void,
): void {
  for (let cell = offsets[later]!; cell < offsets[later + 1]!; cell++) {
    const place = event[cell]!;
    if (step[place]! & isLast) continue;
    for (let apart = 1; apart <= pairWindow && apart <= place; apart++) {
      const before = step[place - apart]!;
      // The last event of the previous user.
      if (before & isLast) break;
      if (before >>> 2 !== later) visit(before >>> 2, place, apart);
    }
  }
}

/** Tokens with their weights, the newest first. */
export interface RecentItems {
  readonly token: ArrayLike<number>;
  readonly weight: ArrayLike<number>;
}

/** The pairs among the newest items of a history, from `from` to `to`. `visit` gets the later item's place and the pair's factor. */
export function eachPair(
  { offsets, earlier }: PairIndex,
  { token, weight }: RecentItems,
  from: number,
  to: number,
  visit: (pair: number, place: number, factor: number) => void,
): void {
  const items = offsets.length - 1;
  for (let place = from; place < Math.min(to, from + pairWindow); place++) {
    const later = token[place]!;
    if (later >= items || !(weight[place]! > 0)) continue;
    const [first, end] = [offsets[later]!, offsets[later + 1]!];
    if (first === end) continue;
    for (let apart = 1; apart <= pairWindow && place + apart < to; apart++) {
      if (!(weight[place + apart]! > 0)) continue;
      const pair = find(earlier, first, end, token[place + apart]!);
      if (pair !== undefined) visit(pair, place, 1 / apart);
    }
  }
}
