import { copyInto, countsToOffsets, sharedF32, sharedU8, sharedU32 } from '../lib/arrays.ts';

/**
 * User behavior as the algorithms read it: one run of events per user, oldest first. Users, items and event types are
 * numbers from 0; the reader of the records keeps their IDs. 9 bytes per event and 4 per user.
 */
export interface Interactions {
  readonly users: number;
  readonly items: number;
  /** The events of user u are those from offsets[u] to offsets[u + 1]. */
  readonly offsets: Uint32Array;
  readonly item: Uint32Array;
  /** 0 is the type that recommendations are optimized for. */
  readonly type: Uint8Array;
  readonly value: Float32Array;
  /** The time of each event in minutes since the Unix epoch, if the algorithm needs times. */
  readonly time?: Uint32Array | undefined;
  /** Whether the order of a user's events means anything; if not, recency and transitions are not used. */
  readonly ordered: boolean;
}

/**
 * Longer histories are cut to this many events. Their cost in the support grows quadratically and they add little: such
 * a user is a bot, or such a long-standing customer that the newest thousand events say more.
 */
export const longestHistory = 1000;

/** Grows by doubling: 21 bytes per event while reading, of which half is unused at worst. */
export class InteractionsBuilder {
  #user = new Uint32Array(1024);
  #item = new Uint32Array(1024);
  #type = new Uint8Array(1024);
  #value = new Float32Array(1024);
  #time = new Float64Array(1024);
  #size = 0;
  #users = 0;
  #items = 0;

  /** `time` may be any increasing number, such as seconds or a position in a list; with `hasTimes` it must be in minutes. */
  push(user: number, item: number, type = 0, value = 1, time = 0): void {
    if (this.#size === this.#user.length) this.#grow();
    const place = this.#size++;
    this.#user[place] = user;
    this.#item[place] = item;
    this.#type[place] = type;
    this.#value[place] = value;
    this.#time[place] = time;
    if (user >= this.#users) this.#users = user + 1;
    if (item >= this.#items) this.#items = item + 1;
  }

  get size(): number {
    return this.#size;
  }

  /** Users and items without events are cold, not absent. A user's events at the same time keep the order of the pushes. */
  build(options: { ordered: boolean; users?: number; items?: number; hasTimes?: boolean }): Interactions {
    const users = Math.max(this.#users, options.users ?? 0);
    const items = Math.max(this.#items, options.items ?? 0);
    const all = new Uint32Array(users + 1);
    for (let event = 0; event < this.#size; event++) all[this.#user[event]! + 1]!++;
    countsToOffsets(all);
    const place = all.slice();
    const order = new Uint32Array(this.#size);
    for (let event = 0; event < this.#size; event++) order[place[this.#user[event]!]!++] = event;

    const offsets = sharedU32(users + 1);
    for (let user = 0; user < users; user++)
      offsets[user + 1] = offsets[user]! + Math.min(all[user + 1]! - all[user]!, longestHistory);
    const kept = offsets[users]!;
    const item = sharedU32(kept);
    const type = sharedU8(kept);
    const value = sharedF32(kept);
    const time = this.#time;
    const minute = options.hasTimes ? sharedU32(kept) : undefined;
    for (let user = 0; user < users; user++) {
      const run = order.subarray(all[user], all[user + 1]);
      if (options.ordered && !isSorted(run, time)) run.sort((a, b) => time[a]! - time[b]! || a - b);
      const from = offsets[user]!;
      const length = offsets[user + 1]! - from;
      for (let index = 0; index < length; index++) {
        const event = run[run.length - length + index]!;
        item[from + index] = this.#item[event]!;
        type[from + index] = this.#type[event]!;
        value[from + index] = this.#value[event]!;
        if (minute) minute[from + index] = time[event]!;
      }
    }
    return { users, items, offsets, item, type, value, time: minute, ordered: options.ordered };
  }

  #grow(): void {
    const length = this.#user.length * 2;
    this.#user = copyInto(new Uint32Array(length), this.#user);
    this.#item = copyInto(new Uint32Array(length), this.#item);
    this.#type = copyInto(new Uint8Array(length), this.#type);
    this.#value = copyInto(new Float32Array(length), this.#value);
    this.#time = copyInto(new Float64Array(length), this.#time);
  }
}

function isSorted(run: Uint32Array, time: Float64Array): boolean {
  for (let index = 1; index < run.length; index++)
    if (time[run[index]!]! < time[run[index - 1]!]!) return false;
  return true;
}

/** The events of `from` that pass `keep`, in the same order. */
export function filterEvents(
  from: Interactions,
  keep: (event: number, user: number) => boolean,
): Interactions {
  const kept = sharedU8(from.item.length);
  const offsets = sharedU32(from.users + 1);
  for (let user = 0; user < from.users; user++) {
    let count = offsets[user]!;
    for (let event = from.offsets[user]!; event < from.offsets[user + 1]!; event++)
      if (keep(event, user)) {
        kept[event] = 1;
        count++;
      }
    offsets[user + 1] = count;
  }
  const size = offsets[from.users]!;
  const item = sharedU32(size);
  const type = sharedU8(size);
  const value = sharedF32(size);
  const time = from.time && sharedU32(size);
  for (let event = 0, place = 0; event < kept.length; event++)
    if (kept[event]) {
      item[place] = from.item[event]!;
      type[place] = from.type[event]!;
      value[place] = from.value[event]!;
      if (time) time[place] = from.time[event]!;
      place++;
    }
  return { ...from, offsets, item, type, value, time };
}

/** The items whose newest event from `from` to `to` is negative: a later one withdraws a dislike. Events are oldest first. */
export function dislikedItems(
  { item, type }: Pick<Interactions, 'item' | 'type'>,
  negativeTypes: readonly number[],
  from = 0,
  to = item.length,
): Set<number> {
  const disliked = new Set<number>();
  if (negativeTypes.length === 0) return disliked;
  for (let event = from; event < to; event++)
    if (negativeTypes.includes(type[event]!)) disliked.add(item[event]!);
    else disliked.delete(item[event]!);
  return disliked;
}
