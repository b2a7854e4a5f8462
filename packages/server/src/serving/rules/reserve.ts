import { limits } from '@tastegraph/contract/limits';
import type { Placed } from '../compiled-rules.ts';
import type { FoundItem } from '../search/item-finder.ts';
import type { Sequence } from './sequence.ts';

/** Positions that a rule reserves for some of the items. */
export interface Reservation {
  readonly share: number;
  readonly includes: (item: FoundItem) => boolean;
  /** The included items of the page's sequence, in the same order. Called only if it is needed. */
  readonly open: () => Sequence;
  /** Among how many of the best included items one is drawn; 1: the best one is taken. */
  readonly choices: number;
  /** Which of `count` items to take, from 0. */
  readonly draw: (position: number, count: number) => number;
  /** Why an item that was drawn among `count` has its place. */
  readonly placed: (count: number) => Placed;
}

/** How many of the first `position` items must be included ones: one more every 1 / share positions, to spread them. */
export const reservedUpTo = (position: number, share: number) => Math.round(position * share);

/** `promote`: the best items that match a condition. */
export const promotion = (condition: string, share: number, open: () => Sequence): Reservation => ({
  share,
  includes: ({ marks }) => marks?.isPromoted === true,
  open,
  choices: 1,
  draw: () => 0,
  placed: () => ({ by: 'promote', if: condition }),
});

/** `new_item_share`: each position draws one of the best new items, all equally likely. `random` is fixed per position. */
export const newItems = (
  share: number,
  isNew: (item: FoundItem) => boolean,
  random: (position: number) => number,
  open: () => Sequence,
): Reservation => ({
  share,
  includes: isNew,
  open,
  choices: limits.newItemChoices,
  draw: (position, count) => Math.floor(random(position) * count),
  placed: (count) => ({ by: 'new_item_share', probability: 1 / count }),
});
