import { diminish, eventScale } from '../data/event-weight.ts';
import { RowSlots } from '../data/row-slots.ts';
import { seededRandom, shuffle } from '../lib/random.ts';
import type { ClusteringInput } from './clustering.ts';

/** The items of each user, one row per user: each item once, with weights whose squares add up to 1. 8 bytes per pair. */
export interface TasteRows {
  readonly rows: number;
  readonly items: number;
  readonly offsets: Uint32Array;
  readonly item: Uint32Array;
  readonly weight: Float32Array;
  /** By item: how much having it says about a user. */
  readonly rarity: Float64Array;
}

/** A pair weighs what its events do in the model, times the item's rarity: what everyone has says nothing about taste. */
export function buildTasteRows({ events, typeWeights }: ClusteringInput): TasteRows {
  const { users, items } = events;
  const scale = eventScale(events, typeWeights);
  const offsets = new Uint32Array(users + 1);
  const item = new Uint32Array(events.item.length);
  const weight = new Float32Array(events.item.length);
  const slots = new RowSlots(item, items);
  const owners = new Uint32Array(items);
  let size = 0;
  let active = 0;
  for (let user = 0; user < users; user++) {
    const start = size;
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++) {
      const strength = Math.max(0, events.value[event]!) * (scale[events.type[event]!] ?? 0);
      // Rounded as it will be stored, so that weights that round to 0 are dropped.
      if (!(Math.fround(strength) > 0)) continue;
      const column = events.item[event]!;
      const place = slots.placeOf(column, start, size);
      if (place === size) {
        size++;
        weight[place] = 0;
        owners[column]!++;
      }
      weight[place]! += strength;
    }
    if (size > start) active++;
    offsets[user + 1] = size;
  }
  const rarity = Float64Array.from(owners, (count) => Math.log((active + 1) / Math.max(1, count)));
  for (let place = 0; place < size; place++) weight[place] = diminish(weight[place]!) * rarity[item[place]!]!;
  const rows = {
    rows: users,
    items,
    offsets,
    rarity,
    item: item.subarray(0, size),
    weight: weight.subarray(0, size),
  };
  normalise(rows);
  return rows;
}

function normalise({ rows, offsets, weight }: TasteRows): void {
  for (let row = 0; row < rows; row++) {
    let square = 0;
    for (let cell = offsets[row]!; cell < offsets[row + 1]!; cell++) square += weight[cell]! ** 2;
    const length = Math.sqrt(square);
    for (let cell = offsets[row]!; cell < offsets[row + 1]!; cell++) weight[cell]! /= length;
  }
}

/** The rows of some users, in the order given. */
export function pickRows(from: TasteRows, users: Uint32Array): TasteRows {
  const offsets = new Uint32Array(users.length + 1);
  for (let row = 0; row < users.length; row++)
    offsets[row + 1] = offsets[row]! + from.offsets[users[row]! + 1]! - from.offsets[users[row]!]!;
  const item = new Uint32Array(offsets[users.length]!);
  const weight = new Float32Array(item.length);
  for (let row = 0; row < users.length; row++) {
    const begin = from.offsets[users[row]!]!;
    const end = from.offsets[users[row]! + 1]!;
    item.set(from.item.subarray(begin, end), offsets[row]);
    weight.set(from.weight.subarray(begin, end), offsets[row]);
  }
  return { ...from, rows: users.length, offsets, item, weight };
}

/** The same numbers of items per user and of users per item, assigned at random: the data as it would be without tastes. */
export function shuffleRows(from: TasteRows, seed: number): TasteRows {
  const item = from.item.slice();
  shuffle(item, seededRandom(seed));
  const weight = from.weight.map(
    (had, cell) => (had / from.rarity[from.item[cell]!]!) * from.rarity[item[cell]!]!,
  );
  const rows = { ...from, item, weight };
  normalise(rows);
  return rows;
}
