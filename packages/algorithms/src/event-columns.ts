import { sharedF32, sharedU8, sharedU32 } from './arrays.ts';
import { type Interactions, longestHistory } from './interactions.ts';

/** The number of an event type that is not used. */
export const unusedType = 255;

/** A float's largest is 3e38: a thousand events of one item and user must still add up to less. */
const largestValue = 1e30;

export interface UsedEvents {
  readonly events: Interactions;
  /** Beyond the newest `longestHistory` of their user. */
  readonly cut: number;
  /** By item number while reading; those without a record that no used event names are not in it. */
  readonly usedItems: Uint32Array;
}

/**
 * Interactions from events that come grouped by user, each one's from the newest to the oldest, where which types and
 * items are used is known at the end only. 11 bytes an event (InteractionsBuilder, which takes any order, has twice that and
 * more while it grows), allocated at once for the number that is expected, and used again for what is handed on.
 */
export class EventColumns {
  #item: Uint32Array;
  #type: Uint16Array;
  #value: Float32Array;
  #offsets = sharedU32(1024);
  #size = 0;
  #users = 0;
  /** Where the run of events begins that differ from the last one in value alone. */
  #alike = 0;

  constructor(expected: number) {
    this.#item = sharedU32(expected);
    this.#type = new Uint16Array(expected);
    this.#value = sharedF32(expected);
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

  push(item: number, type: number, value: number, isSameTime: boolean): void {
    if (this.#size === this.#item.length) this.#grow();
    const place = this.#size;
    const isAlike = isSameTime && this.#item[place - 1] === item && this.#type[place - 1] === type;
    if (!isAlike) this.#sortAlike();
    this.#item[place] = item;
    this.#type[place] = type;
    this.#value[place] = Math.min(value, largestValue);
    this.#size++;
    this.#offsets[this.#users] = this.#size;
  }

  /** The index does not say in which order they come; the same data must give the same model. */
  #sortAlike(): void {
    if (this.#size - this.#alike > 1) this.#value.subarray(this.#alike, this.#size).sort();
    this.#alike = this.#size;
  }

  /** Should the count have been wrong. */
  #grow(): void {
    const length = Math.ceil(this.#size * 1.5) + 1024;
    this.#item = copyInto(sharedU32(length), this.#item);
    this.#type = copyInto(new Uint16Array(length), this.#type);
    this.#value = copyInto(sharedF32(length), this.#value);
  }

  /**
   * Drops what is not used, in place, and turns each user's events round: the oldest first. `renumber` gives the final
   * number of each type, or `unusedType`. The first `recordedItems` items are kept whether an event names them or not.
   */
  finish(renumber: Uint8Array, recordedItems: number, ordered: boolean): UsedEvents {
    this.#sortAlike();
    const [item, value, offsets] = [this.#item, this.#value, this.#offsets];
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
        type[size++] = kept;
      }
      for (const column of [item, value, type]) column.subarray(start, size).reverse();
      offsets[user + 1] = size;
    }
    const used = item.subarray(0, size);
    const usedItems = renumberItems(used, recordedItems);
    const events = {
      users: this.#users,
      items: usedItems.length,
      offsets: offsets.subarray(0, this.#users + 1),
      item: used,
      type: type.subarray(0, size),
      value: value.subarray(0, size),
      ordered,
    };
    return { events, cut, usedItems };
  }
}

/** Closes the gaps that items leave of which all events were dropped; says which items are left, in order. */
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

function copyInto<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from);
  return to;
}

/** How many users and items have a target event that weighs anything. */
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
