import type { Incidence } from '../g1/matrix.ts';
import type { G1Model } from '../g1/model.ts';
import type { Interactions } from '../interactions.ts';
import { carriersOf, type ItemValues } from './item-values.ts';
import { type RowWeights, readRowWeights, rowsOf } from './row-weights.ts';
import type { TasteSnapshot } from './snapshot.ts';
import { blend, shareOf, targetValues } from './usage.ts';

/** Where there is nothing to choose by, or nothing that is better. */
const defaultEvidence = 10;
const candidates = [1, 2, 5, 10, 20, 50];
/** Enough for the error to be known to a few percent, and some seconds at most whatever the data. */
const mostUsers = 2000;
const mostValues = 50;
/** Half of them are predicted from the other half. */
const fewestTargets = 4;

/**
 * k of a usage: how many events the model's prediction counts as. The one by which, for a sample of users, the usage from the
 * first half of their target events (each second event, where there is no order) is nearest to the shares in the other half,
 * over the values that most items carry. The model has seen that other half: its prediction is taken for a little better than
 * it is, by the weight of one user among all. Same data, same choice.
 */
export function chooseEvidence(snapshot: Omit<TasteSnapshot, 'evidence'>, model: G1Model): number {
  const { events, values } = snapshot;
  const common = commonValues(values);
  const users = sample(events);
  if (common.length === 0 || users.length === 0) return defaultEvidence;
  const { visible, hidden } = split(events, users);
  const userAttributes = pick(snapshot.userAttributes, users);
  const predict = predictor(
    model,
    readRowWeights({ events: visible, userAttributes }, model),
    values,
    common,
  );
  const targets = targetValues(events);
  const popular = common.map((value) => shareOf(targets, carriersOf(values, value)));
  const errors = candidates.map(() => 0);
  for (let user = 0; user < users.length; user++) {
    const seen = observe(visible, user, predict.bits, common.length);
    const then = observe(hidden, user, predict.bits, common.length);
    const { reached, total } = predict.of(user);
    if (!(then.all > 0)) continue;
    for (let place = 0; place < common.length; place++) {
      const share = total > 0 ? reached[place]! / total : popular[place]!;
      for (const [index, k] of candidates.entries())
        errors[index]! += (then.on[place]! / then.all - blend(seen.on[place]!, seen.all, share, k)) ** 2;
    }
  }
  let best = candidates.indexOf(defaultEvidence);
  for (const [index, error] of errors.entries()) if (error < errors[best]!) best = index;
  return candidates[best]!;
}

/** Those that most items carry; ties by number. */
function commonValues({ offsets }: ItemValues): number[] {
  const items = (value: number) => offsets[value + 1]! - offsets[value]!;
  let kept: number[] = [];
  const trim = () => {
    kept = kept.sort((a, b) => items(b) - items(a) || a - b).slice(0, mostValues);
  };
  for (let value = 0; value < offsets.length - 1; value++) {
    kept.push(value);
    // Sorted now and then: the values may be millions.
    if (kept.length === 100 * mostValues) trim();
  }
  trim();
  return kept;
}

const isTarget = ({ type, value }: Interactions, event: number) => type[event] === 0 && value[event]! > 0;

/** Of the users with enough target events, so many at equal distances. */
function sample(events: Interactions): number[] {
  const enough: number[] = [];
  for (let user = 0; user < events.users; user++) {
    let count = 0;
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++)
      if (isTarget(events, event)) count++;
    if (count >= fewestTargets) enough.push(user);
  }
  const step = Math.max(1, enough.length / mostUsers);
  return Array.from(
    { length: Math.min(enough.length, mostUsers) },
    (_, place) => enough[Math.floor(place * step)]!,
  );
}

/** The sampled users' events, by the place in the sample, in two parts. */
function split(
  events: Interactions,
  users: readonly number[],
): { visible: Interactions; hidden: Interactions } {
  const parts: { visible: number[][]; hidden: number[][] } = { visible: [], hidden: [] };
  for (const user of users) {
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]!];
    const all = Array.from({ length: to - from }, (_, place) => from + place);
    const targets = all.filter((event) => isTarget(events, event));
    const middle = targets[targets.length >> 1]!;
    const isHidden = (event: number, place: number) => (events.ordered ? event >= middle : place % 2 === 1);
    parts.visible.push(all.filter((event, place) => !isHidden(event, place)));
    parts.hidden.push(all.filter(isHidden));
  }
  return { visible: gather(events, parts.visible), hidden: gather(events, parts.hidden) };
}

function gather(events: Interactions, lists: readonly (readonly number[])[]): Interactions {
  const flat = lists.flat();
  const offsets = new Uint32Array(lists.length + 1);
  for (const [place, list] of lists.entries()) offsets[place + 1] = offsets[place]! + list.length;
  return {
    ...{ users: lists.length, items: events.items, ordered: events.ordered, offsets },
    item: Uint32Array.from(flat, (event) => events.item[event]!),
    type: Uint8Array.from(flat, (event) => events.type[event]!),
    value: Float32Array.from(flat, (event) => events.value[event]!),
  };
}

function pick({ columns, offsets, column }: Incidence, rows: readonly number[]): Incidence {
  const lists = rows.map((row) => column.subarray(offsets[row], offsets[row + 1]));
  const picked = new Uint32Array(rows.length + 1);
  for (const [place, list] of lists.entries()) picked[place + 1] = picked[place]! + list.length;
  return {
    rows: rows.length,
    columns,
    offsets: picked,
    column: Uint32Array.from(lists.flatMap((list) => [...list])),
  };
}

/** Which of the common values an item carries: two words of 32 bits. */
type Bits = Uint32Array;
const words = 2;

function eachBit(bits: Bits, item: number, visit: (place: number) => void): void {
  for (let word = 0; word < words; word++)
    for (let left = bits[item * words + word]!; left !== 0; left &= left - 1)
      visit(word * 32 + 31 - Math.clz32(left & -left));
}

/** A user's evidence for the common values and in all, entry by entry: for few users a pass over the whole model is more. */
function predictor(model: G1Model, weights: RowWeights, values: ItemValues, common: readonly number[]) {
  const bits: Bits = new Uint32Array(model.items * words);
  for (const [place, value] of common.entries())
    for (const item of carriersOf(values, value)) bits[item * words + (place >> 5)]! |= 1 << (place & 31);
  const rows = rowsOf(model);
  const of = (user: number) => {
    const reached = new Float64Array(common.length);
    let total = 0;
    const add = (item: number, amount: number) => {
      total += amount;
      eachBit(bits, item, (place) => {
        reached[place]! += amount;
      });
    };
    for (let cell = weights.offsets[user]!; cell < weights.offsets[user + 1]!; cell++) {
      const row = weights.row[cell]!;
      const weight = weights.weight[cell]!;
      if (row >= rows) {
        add(row - rows, weight);
        continue;
      }
      const scaled = weight * model.rowScale[row]!;
      for (let place = model.offsets[row]!; place < model.offsets[row + 1]!; place++)
        if (model.value[place]! > 0) add(model.target[place]!, scaled * model.value[place]!);
    }
    return { reached, total };
  };
  return { bits, of };
}

/** The value of a user's target events, on each of the common values and in all. */
function observe({ offsets, item, type, value }: Interactions, user: number, bits: Bits, count: number) {
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
