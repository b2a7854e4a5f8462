import { type Incidence, pickRows } from '../data/incidence.ts';
import type { Interactions } from '../data/interactions.ts';
import type { Split } from '../data/split.ts';
import { blend, markCarriers, shareOf, targetValues } from './affinity.ts';
import { carriersOf, type ItemValues } from './item-values.ts';
import type { ModelledUsers } from './shares.ts';

/** Used if there is no data to choose on, or nothing is better. */
export const defaultPriorStrength = 10;
const candidates = [1, 2, 5, 10, 20, 50];
/** Enough to know the error to a few percent, in at most some seconds for any data. */
const maxUsers = 2000;
const maxValues = 50;
/** With fewer target events, the held-out part is too small to measure an error. */
const fewestTargets = 4;

const noAttributes: Incidence = {
  rows: 0,
  columns: 0,
  offsets: new Uint32Array(1),
  column: new Uint32Array(),
};

/** The users whose held-out events are predicted from their other events. */
export interface PriorStrengthData {
  readonly events: Interactions;
  readonly userAttributes?: Incidence | undefined;
  readonly split: Pick<Split, 'train' | 'heldOut'>;
  readonly users: readonly number[];
  readonly values: ItemValues;
}

/** Per user, the evidence that the model expects on each of `values` values and in all. `bits`: the values of each item. */
export type SharePredictor = (
  users: ModelledUsers,
  bits: ValueBits,
  values: number,
) => (user: number) => { readonly reached: ArrayLike<number>; readonly total: number };

/**
 * Chooses k, the prior strength of affinities: how many events the model's prediction counts as. For a sample of
 * `users` and the values that most items carry, it is the k with which affinities from the known events are closest to
 * the shares in the held-out events. The model of `predictor` must be fitted on the known events only. The same data
 * gives the same choice.
 */
export function choosePriorStrength(data: PriorStrengthData, predictor: SharePredictor): number {
  const { events, split, values } = data;
  const common = commonValues(values);
  const users = sample(events, data.users);
  if (common.length === 0 || users.length === 0) return defaultPriorStrength;
  const { visible, hidden } = divide(events, split.heldOut, users);
  const userAttributes = pickRows(data.userAttributes ?? noAttributes, users);
  const bits = bitsOf(events.items, values, common);
  const predict = predictor({ events: visible, userAttributes }, bits, common.length);
  const targets = targetValues(split.train);
  const popular = common.map((value) => shareOf(targets, markCarriers(values, [value], events.items)));
  const errors = candidates.map(() => 0);
  for (let user = 0; user < users.length; user++) {
    const seen = observe(visible, user, bits, common.length);
    const then = observe(hidden, user, bits, common.length);
    const { reached, total } = predict(user);
    if (!(then.all > 0)) continue;
    for (let place = 0; place < common.length; place++) {
      const share = total > 0 ? reached[place]! / total : popular[place]!;
      for (const [index, k] of candidates.entries())
        errors[index]! += (then.on[place]! / then.all - blend(seen.on[place]!, seen.all, share, k)) ** 2;
    }
  }
  let best = candidates.indexOf(defaultPriorStrength);
  for (const [index, error] of errors.entries()) if (error < errors[best]!) best = index;
  return candidates[best]!;
}

/** The values that the most items carry; ties by number. */
function commonValues({ offsets }: ItemValues): number[] {
  const items = (value: number) => offsets[value + 1]! - offsets[value]!;
  let kept: number[] = [];
  const trim = () => {
    kept = kept.sort((a, b) => items(b) - items(a) || a - b).slice(0, maxValues);
  };
  for (let value = 0; value < offsets.length - 1; value++) {
    kept.push(value);
    // Trimmed only now and then, since there may be millions of values.
    if (kept.length === 100 * maxValues) trim();
  }
  trim();
  return kept;
}

const isTarget = ({ type, value }: Interactions, event: number) => type[event] === 0 && value[event]! > 0;

/** A sample of `users` with enough target events, at equal distances. */
function sample(events: Interactions, users: readonly number[]): number[] {
  const enough = users.filter((user) => {
    let count = 0;
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++)
      if (isTarget(events, event)) count++;
    return count >= fewestTargets;
  });
  const step = Math.max(1, enough.length / maxUsers);
  return Array.from(
    { length: Math.min(enough.length, maxUsers) },
    (_, place) => enough[Math.floor(place * step)]!,
  );
}

/** The sampled users' events, by index in the sample: the known ones and the held-out ones. */
function divide(events: Interactions, heldOut: Uint8Array, users: readonly number[]) {
  const ofUsers = (part: number) =>
    users.map((user) => {
      const from = events.offsets[user]!;
      const all = Array.from({ length: events.offsets[user + 1]! - from }, (_, place) => from + place);
      return all.filter((event) => heldOut[event] === part);
    });
  return { visible: gather(events, ofUsers(0)), hidden: gather(events, ofUsers(1)) };
}

function gather(events: Interactions, lists: readonly (readonly number[])[]): Interactions {
  const flat = lists.flat();
  const offsets = new Uint32Array(lists.length + 1);
  for (const [place, list] of lists.entries()) offsets[place + 1] = offsets[place]! + list.length;
  return {
    users: lists.length,
    items: events.items,
    ordered: events.ordered,
    offsets,
    item: Uint32Array.from(flat, (event) => events.item[event]!),
    type: Uint8Array.from(flat, (event) => events.type[event]!),
    value: Float32Array.from(flat, (event) => events.value[event]!),
  };
}

/** Which of the common values an item carries: two words of 32 bits per item. */
export type ValueBits = Uint32Array;
const words = 2;

function bitsOf(items: number, values: ItemValues, common: readonly number[]): ValueBits {
  const bits = new Uint32Array(items * words);
  for (const [place, value] of common.entries())
    for (const item of carriersOf(values, value)) bits[item * words + (place >> 5)]! |= 1 << (place & 31);
  return bits;
}

export function eachBit(bits: ValueBits, item: number, visit: (place: number) => void): void {
  for (let word = 0; word < words; word++)
    for (let left = bits[item * words + word]!; left !== 0; left &= left - 1)
      visit(word * 32 + 31 - Math.clz32(left & -left));
}

/** The value of a user's target events, on each of the common values and in all. */
function observe({ offsets, item, type, value }: Interactions, user: number, bits: ValueBits, count: number) {
  const on = new Float64Array(count);
  let all = 0;
  for (let event = offsets[user]!; event < offsets[user + 1]!; event++) {
    if (type[event] !== 0) continue;
    const worth = Math.max(0, value[event]!);
    all += worth;
    eachBit(bits, item[event]!, (place) => {
      on[place]! += worth;
    });
  }
  return { on, all };
}
