import { copyInto, sharedF32, sharedU8, sharedU16, sharedU32 } from '../lib/arrays.ts';
import { type Interactions, longestHistory } from './interactions.ts';

/** The number of an event type that is not used. */
export const unusedType = 255;

/** The largest 32-bit float is 3e38. The limit keeps the sum of a thousand events of one user and item below that. */
const largestValue = 1e30;
/** The year 10136, the last that fits in 32 bits. */
const lastMinute = 2 ** 32 - 1;

export interface UsedEvents {
  readonly events: Interactions;
  /** Events dropped because they are older than the newest `longestHistory` of their user. */
  readonly cut: number;
  /** Events whose value was lowered to `largestWeight` times the median of their type. */
  readonly lowered: number;
  /** By final item number, the number used while reading. Items without a record that no used event names are left out. */
  readonly usedItems: Uint32Array;
}

/** Events as they were read, with the numbers of items and types that their reader gave. In shared memory. */
export interface EventPart {
  readonly item: Uint32Array;
  readonly type: Uint16Array;
  readonly value: Float32Array;
  readonly time: Uint32Array | undefined;
  /** By user, where the events begin, and where the last user's end. */
  readonly offsets: Uint32Array;
}

/**
 * Builds interactions from events that come grouped by user, each user's from newest to oldest, where the types and
 * items in use are known only at the end. Takes 11 bytes per event (InteractionsBuilder, which accepts any order, takes
 * more than twice that while it grows), allocated once for the expected number and reused for the result.
 */
export class EventColumns {
  #item: Uint32Array;
  #type: Uint16Array;
  #value: Float32Array;
  #time: Uint32Array | undefined;
  #offsets = sharedU32(1024);
  #size = 0;
  #users = 0;
  /** Start of the current run of events that differ only in value. */
  #alike = 0;

  /** `hasTimes` keeps the minute of each event, in 4 more bytes. */
  constructor(expected: number, { hasTimes = false }: { readonly hasTimes?: boolean } = {}) {
    this.#item = sharedU32(expected);
    this.#type = sharedU16(expected);
    this.#value = sharedF32(expected);
    this.#time = hasTimes ? sharedU32(expected) : undefined;
  }

  get users(): number {
    return this.#users;
  }

  beginUser(): void {
    this.#sortAlike();
    this.#users++;
    if (this.#users === this.#offsets.length)
      this.#offsets = copyInto(sharedU32(this.#users * 2), this.#offsets);
  }

  /** `minute` since the Unix epoch. */
  push(item: number, type: number, value: number, isSameTime: boolean, minute = 0): void {
    if (this.#size === this.#item.length) this.#grow();
    const place = this.#size;
    const isAlike = isSameTime && this.#item[place - 1] === item && this.#type[place - 1] === type;
    if (!isAlike) this.#sortAlike();
    this.#item[place] = item;
    this.#type[place] = type;
    this.#value[place] = Math.min(value, largestValue);
    if (this.#time) this.#time[place] = Math.min(minute, lastMinute);
    this.#size++;
    this.#offsets[this.#users] = this.#size;
  }

  /** The index does not define the order of such events, but the same data must give the same model. */
  #sortAlike(): void {
    if (this.#size - this.#alike > 1) this.#value.subarray(this.#alike, this.#size).sort();
    this.#alike = this.#size;
  }

  /** What was read so far; valid until more is read. */
  part(): EventPart {
    this.#sortAlike();
    return {
      item: this.#item.subarray(0, this.#size),
      type: this.#type.subarray(0, this.#size),
      value: this.#value.subarray(0, this.#size),
      time: this.#time?.subarray(0, this.#size),
      offsets: this.#offsets.subarray(0, this.#users + 1),
    };
  }

  /** Adds users that another reader has read, by whose numbers `items` and `types` give ours. */
  append(part: EventPart, items: Uint32Array, types: Uint16Array): void {
    this.#sortAlike();
    const start = this.#size;
    const size = start + part.item.length;
    if (size > this.#item.length) this.#grow(size);
    for (let event = 0; event < part.item.length; event++) {
      this.#item[start + event] = items[part.item[event]!]!;
      this.#type[start + event] = types[part.type[event]!]!;
    }
    this.#value.set(part.value, start);
    if (part.time) this.#time?.set(part.time, start);
    for (let user = 1; user < part.offsets.length; user++) {
      this.beginUser();
      this.#offsets[this.#users] = start + part.offsets[user]!;
    }
    this.#size = size;
    this.#alike = size;
  }

  /** In case the expected number was too low. */
  #grow(least = 0): void {
    const length = Math.max(least, Math.ceil(this.#size * 1.5) + 1024);
    this.#item = copyInto(sharedU32(length), this.#item);
    this.#type = copyInto(sharedU16(length), this.#type);
    this.#value = copyInto(sharedF32(length), this.#value);
    this.#time &&= copyInto(sharedU32(length), this.#time);
  }

  /**
   * Drops unused events in place and reverses each user's events to oldest first. `renumber` gives the final number of
   * each type, or `unusedType`. The first `recordedItems` items are kept even if no event names them.
   */
  finish(renumber: Uint8Array, recordedItems: number, ordered: boolean): UsedEvents {
    this.#sortAlike();
    const [item, value, offsets, time] = [this.#item, this.#value, this.#offsets, this.#time];
    const type = sharedU8(this.#size);
    let size = 0;
    let cut = 0;
    for (let user = 0, event = 0; user < this.#users; user++) {
      const start = size;
      for (const end = offsets[user + 1]!; event < end; event++) {
        const kept = renumber[this.#type[event]!]!;
        if (kept === unusedType) continue;
        if (size - start === longestHistory) {
          cut++;
          continue;
        }
        item[size] = item[event]!;
        value[size] = value[event]!;
        if (time) time[size] = time[event]!;
        type[size++] = kept;
      }
      for (const column of [item, value, type, time]) column?.subarray(start, size).reverse();
      offsets[user + 1] = size;
    }
    const lowered = lowerOutliers(value.subarray(0, size), type);
    const used = item.subarray(0, size);
    const usedItems = renumberItems(used, recordedItems);
    const events = {
      users: this.#users,
      items: usedItems.length,
      offsets: offsets.subarray(0, this.#users + 1),
      item: used,
      type: type.subarray(0, size),
      value: value.subarray(0, size),
      ...(time && { time: time.subarray(0, size) }),
      ordered,
    };
    return { events, cut, lowered, usedItems };
  }
}

/** In medians of the event's type. One event may weigh a lot, but not more than everybody else's. */
export const largestWeight = 100;
/** How many values of a type its median is computed from; more would not change it. */
const sampled = 10_001;

/** Lowers outliers in place and returns how many. Linear, and independent of the order of users. */
function lowerOutliers(value: Float32Array, type: Uint8Array): number {
  const counts = new Uint32Array(unusedType);
  for (let event = 0; event < value.length; event++) if (value[event]! > 0) counts[type[event]!]!++;
  const samples = Array.from(counts, (count) => ({
    every: Math.ceil(count / sampled),
    seen: 0,
    values: [] as number[],
  }));
  for (let event = 0; event < value.length; event++) {
    if (value[event]! <= 0) continue;
    const sample = samples[type[event]!]!;
    if (sample.seen++ % sample.every === 0) sample.values.push(value[event]!);
  }
  const limits = samples.map(
    ({ values }) => largestWeight * (values.sort((a, b) => a - b)[values.length >> 1] ?? Infinity),
  );
  let lowered = 0;
  for (let event = 0; event < value.length; event++) {
    const limit = limits[type[event]!]!;
    if (value[event]! <= limit) continue;
    value[event] = limit;
    lowered++;
  }
  return lowered;
}

/** Renumbers items to close the gaps left by items whose events were all dropped. Returns the remaining items, in order. */
function renumberItems(item: Uint32Array, recordedItems: number): Uint32Array {
  const last = item.reduce((most, one) => Math.max(most, one), recordedItems - 1);
  const isUsed = new Uint8Array(last + 1).fill(1, 0, recordedItems);
  for (const one of item) isUsed[one] = 1;
  const usedItems = new Uint32Array(isUsed.reduce((sum, one) => sum + one, 0));
  const renumber = new Uint32Array(last + 1);
  for (let one = 0, number = 0; one <= last; one++)
    if (isUsed[one] === 1) {
      renumber[one] = number;
      usedItems[number++] = one;
    }
  for (let event = 0; event < item.length; event++) item[event] = renumber[item[event]!]!;
  return usedItems;
}

/** How many users and items have a target event with a positive weight. */
export function countTargets(events: Interactions): { users: number; items: number } {
  const isItem = new Uint8Array(events.items);
  let users = 0;
  for (let user = 0; user < events.users; user++) {
    let isUser = 0;
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++)
      if (events.type[event] === 0 && events.value[event]! > 0) {
        isItem[events.item[event]!] = 1;
        isUser = 1;
      }
    users += isUser;
  }
  return { users, items: isItem.reduce((sum, one) => sum + one, 0) };
}
