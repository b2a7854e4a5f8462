import type { G1Model } from '../g1/model.ts';
import type { Interactions } from '../interactions.ts';
import { carriersOf } from './item-values.ts';
import { positiveSums, type RowWeights, readRowWeights } from './row-weights.ts';
import type { TasteSnapshot } from './snapshot.ts';

/**
 * A user's usage of a value of an item attribute, from 0 to 1:
 *
 *     (observed on the value + k * predicted share) / (observed in all + k)
 *
 * Observed is the value of the user's target events in the snapshot. The predicted share is that part of the evidence for
 * anything, as the scorer weighs it, which goes to items that carry the value: over the rows of the model that the user has,
 * weight times the row's positive entries on such items, to weight times all its positive entries. For a user with no such
 * evidence it is the value's share of everybody's target events. k is the snapshot's.
 *
 * A value costs one pass over the model, and then some nanoseconds an event for each user who is asked about. Keeps 8 bytes a
 * pair of user and item and 16 a user; a value in use takes 4 to 9 bytes an item.
 */
export class Usage {
  readonly snapshot: TasteSnapshot;
  readonly #model: G1Model;
  readonly #weights: RowWeights;
  /** By user: all evidence there is, and the value of all target events. */
  readonly #evidence: Float64Array;
  readonly #observed: Float64Array;
  readonly #targets: Float64Array;

  constructor(snapshot: TasteSnapshot, model: G1Model) {
    const { events } = snapshot;
    if (events.items !== model.items)
      throw new TypeError(`The snapshot has ${events.items} items, and the model ${model.items}`);
    this.snapshot = snapshot;
    this.#model = model;
    this.#weights = readRowWeights(snapshot, model);
    const all = new Uint8Array(model.items).fill(1);
    const sums = positiveSums(model, all);
    this.#evidence = Float64Array.from({ length: events.users }, (_, user) =>
      weigh(this.#weights, user, sums),
    );
    this.#observed = Float64Array.from({ length: events.users }, (_, user) => observe(events, user, all));
    this.#targets = targetValues(events);
  }

  /** By value, what tells each user's usage of it. */
  of(value: number): (user: number) => number {
    const { events, values, evidence: k } = this.snapshot;
    const carriers = carriersOf(values, value);
    const carried = new Uint8Array(events.items);
    for (const item of carriers) carried[item] = 1;
    const sums = positiveSums(this.#model, carried);
    const popular = shareOf(this.#targets, carriers);
    return (user) => {
      const evidence = this.#evidence[user]!;
      const share = evidence > 0 ? weigh(this.#weights, user, sums) / evidence : popular;
      return blend(observe(events, user, carried), this.#observed[user]!, share, k);
    };
  }
}

/** What is observed and what is predicted; the prediction alone where nothing else counts. */
export function blend(on: number, all: number, share: number, k: number): number {
  const usage = all + k > 0 ? (on + k * share) / (all + k) : share;
  // A last bit may be rounded up.
  return Math.min(1, Math.max(0, usage));
}

function weigh({ offsets, row, weight }: RowWeights, user: number, sums: Float32Array): number {
  let sum = 0;
  for (let place = offsets[user]!; place < offsets[user + 1]!; place++)
    sum += weight[place]! * sums[row[place]!]!;
  return sum;
}

/** The value of the user's target events on items that are `carried`. */
function observe({ offsets, item, type, value }: Interactions, user: number, carried: Uint8Array): number {
  let sum = 0;
  for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
    if (type[event] === 0 && carried[item[event]!] === 1) sum += Math.max(0, value[event]!);
  return sum;
}

/** By item: the value of all target events. */
export function targetValues({ items, item, type, value }: Interactions): Float64Array {
  const sums = new Float64Array(items);
  for (let event = 0; event < item.length; event++)
    if (type[event] === 0) sums[item[event]!]! += Math.max(0, value[event]!);
  return sums;
}

/** What part of the sum is at these places; 0 of nothing. */
export function shareOf(values: Float64Array, places: Uint32Array): number {
  const all = values.reduce((sum, value) => sum + value, 0);
  const some = places.reduce((sum, place) => sum + values[place]!, 0);
  return all > 0 ? some / all : 0;
}

/** How many users have a target event with an item that has no value of the attribute (or only texts too long to keep). */
export function countUsersWithout({ events, values }: TasteSnapshot, attribute: string): number {
  const name = values.names.indexOf(attribute);
  const carried = new Uint8Array(events.items);
  if (name !== -1)
    for (let value = values.first[name]!; value < values.first[name + 1]!; value++)
      for (const item of carriersOf(values, value)) carried[item] = 1;
  let users = 0;
  for (let user = 0; user < events.users; user++)
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++)
      if (events.type[event] === 0 && carried[events.item[event]!] === 0) {
        users++;
        break;
      }
  return users;
}
