import { type Incidence, pickRows } from '../data/incidence.ts';
import type { Interactions } from '../data/interactions.ts';
import type { Split } from '../data/split.ts';
import { blend, markCarriers, shareOf, targetValues } from './affinity.ts';
import { carriersOf, type ItemValues } from './item-values.ts';
import type { ModelledUsers } from './shares.ts';

/** In target events of the mean value: used if there is no data to choose on, and what k is near while few users speak. */
export const defaultPriorStrength = 10;
/** The standard deviation of ln k around the default before any user is asked: a factor of 10. */
const spread = Math.log(10);
/** In powers of 2 of the mean value. No data has events for the highest: beyond it, affinities are predictions. */
const [lowest, highest] = [-10, 30];
/** Affinities nearer to 0 or 1 are no surer: one event against them would otherwise count for everything. */
const fewestShare = 1e-4;
/** Enough to know the likelihood well, in at most some seconds for any data. */
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
 * Chooses k, the prior strength of affinities: the total value of the target events that the model's prediction counts
 * as. For a sample of `users` and the values that most items carry, it is the k with which affinities from the known
 * events make the held-out events likeliest; a weak prior keeps it near the default while there are few users. The model
 * of `predictor` must be fitted on the known events only. The same data gives the same choice.
 */
export function choosePriorStrength(data: PriorStrengthData, predictor: SharePredictor): number {
  const targets = targetValues(data.split.train);
  const unit = meanTarget(data.split.train);
  const start = defaultPriorStrength * unit;
  const cases = collectCases(data, predictor, targets);
  if (cases.length === 0) return start;
  const worthOf = (k: number) => logLikelihood(cases, k) - (Math.log(k / start) / spread) ** 2 / 2;
  let best = { k: start, worth: worthOf(start) };
  const consider = (k: number) => {
    const worth = worthOf(k);
    if (worth > best.worth) best = { k, worth };
  };
  for (let power = lowest; power <= highest; power++) consider(unit * 2 ** power);
  for (const step of [2 ** 0.5, 2 ** 0.25]) {
    const { k } = best;
    consider(k * step);
    consider(k / step);
  }
  // More digits would say more than the data does.
  return Number(best.k.toPrecision(3));
}

/** A user and a value: what was observed, what the model predicts, and the share of the held-out events. */
interface Case {
  readonly on: number;
  readonly all: number;
  readonly share: number;
  readonly then: number;
}

function collectCases(
  { events, split, values, ...data }: PriorStrengthData,
  predictor: SharePredictor,
  targets: Float64Array,
): Case[] {
  const common = commonValues(values);
  const users = sample(events, data.users);
  if (common.length === 0 || users.length === 0) return [];
  const { visible, hidden } = divide(events, split.heldOut, users);
  const userAttributes = pickRows(data.userAttributes ?? noAttributes, users);
  const bits = bitsOf(events.items, values, common);
  const predict = predictor({ events: visible, userAttributes }, bits, common.length);
  const popular = common.map((value) => shareOf(targets, markCarriers(values, [value], events.items)));
  const cases: Case[] = [];
  for (let user = 0; user < users.length; user++) {
    const seen = observe(visible, user, bits, common.length);
    const later = observe(hidden, user, bits, common.length);
    const { reached, total } = predict(user);
    if (!(later.all > 0)) continue;
    for (let place = 0; place < common.length; place++) {
      const share = total > 0 ? reached[place]! / total : popular[place]!;
      cases.push({ on: seen.on[place]!, all: seen.all, share, then: later.on[place]! / later.all });
    }
  }
  return cases;
}

/** Of the held-out shares. Each user and value counts once, however many events there are. */
function logLikelihood(cases: readonly Case[], k: number): number {
  let sum = 0;
  for (const { on, all, share, then } of cases) {
    const affinity = Math.min(1 - fewestShare, Math.max(fewestShare, blend(on, all, share, k)));
    sum += then * Math.log(affinity) + (1 - then) * Math.log(1 - affinity);
  }
  return sum;
}

/** The mean value of the target events that weigh anything; 1 if there are none. */
function meanTarget(events: Interactions): number {
  let [sum, count] = [0, 0];
  for (let event = 0; event < events.item.length; event++)
    if (isTarget(events, event)) {
      sum += events.value[event]!;
      count++;
    }
  return count > 0 ? sum / count : 1;
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
