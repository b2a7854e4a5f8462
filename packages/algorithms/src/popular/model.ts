import { sharedF32, sharedU32 } from '../lib/arrays.ts';
import type { TrainingData } from '../training.ts';
import { addPopularity, decayOf, popularityOf } from './decay.ts';
import type { Groups } from './groups.ts';

/**
 * How popular each item is, among all users and in each group: the sum over target events of value * 2^(-age /
 * half-life), where age is relative to the newest event. A group has the items of its own target events.
 */
export interface PopularModel {
  readonly halfLifeDays: number;
  /** The user attribute that defines the groups; its values are the tokens from `first`, one per group. */
  readonly attribute: { readonly name: string; readonly first: number } | null;
  readonly items: number;
  /** Event types by which users reject an item. */
  readonly negativeTypes?: readonly number[] | undefined;
  /** By item. */
  readonly popularity: Float32Array;
  /** The items of group g are those from offsets[g] to offsets[g + 1], ascending. */
  readonly offsets: Uint32Array;
  readonly item: Uint32Array;
  readonly groupPopularity: Float32Array;
  /** The indices of each group's items, best score first. */
  readonly ranked: Uint32Array;
}

/** A group's score: `whole` times the overall popularity plus `own` times the popularity in the group. */
export interface Blend {
  readonly whole: number;
  readonly own: number;
}

/** A group counts as if it had this many more events with the overall distribution. */
const priorEvents = 100;

export function fitPopular(
  { events, negativeTypes }: Pick<TrainingData, 'events' | 'negativeTypes'>,
  halfLifeDays: number,
  groups: Groups | undefined,
): PopularModel {
  const { items } = events;
  const weightOf = decayOf(events, halfLifeDays);
  const popularity = sharedF32(items);
  popularity.set(popularityOf(events, weightOf));
  const rows = groups ? groupRows(events, groups, weightOf) : [];
  const offsets = sharedU32(rows.length + 1);
  for (const [group, { item }] of rows.entries()) offsets[group + 1] = offsets[group]! + item.length;
  const size = offsets[rows.length]!;
  const model = {
    halfLifeDays,
    attribute: groups ? { name: groups.name, first: groups.first } : null,
    items,
    ...(negativeTypes && { negativeTypes }),
    popularity,
    offsets,
    item: sharedU32(size),
    groupPopularity: sharedF32(size),
    ranked: sharedU32(size),
  };
  for (const [group, row] of rows.entries()) {
    model.item.set(row.item, offsets[group]);
    model.groupPopularity.set(row.value, offsets[group]);
  }
  const blends = blendsOf(model);
  for (const [group, blend] of blends.entries()) {
    const ranked = model.ranked.subarray(offsets[group], offsets[group + 1]);
    for (let place = 0; place < ranked.length; place++) ranked[place] = offsets[group]! + place;
    const score = (place: number) => scoreAt(model, blend, place);
    ranked.sort((one, other) => score(other) - score(one) || one - other);
  }
  return model;
}

/** Group by group, so that only one dense row is in memory. */
function groupRows(events: TrainingData['events'], { members }: Groups, weightOf: (event: number) => number) {
  const sums = new Float64Array(events.items);
  return members.map((users) => {
    sums.fill(0);
    for (const user of users) addPopularity(events, user, weightOf, sums);
    const item = Uint32Array.from(sums.keys()).filter((one) => sums[one]! > 0);
    return { item, value: Float32Array.from(item, (one) => sums[one]!) };
  });
}

/** By group. Popularity in a group is scaled to the overall sum, so that scores of all users are comparable. */
export function blendsOf({ popularity, offsets, groupPopularity }: PopularModel): Blend[] {
  const total = sum(popularity);
  return Array.from({ length: offsets.length - 1 }, (_, group) => {
    const own = sum(groupPopularity.subarray(offsets[group], offsets[group + 1]));
    const weight = own / (own + priorEvents);
    return { whole: 1 - weight, own: own > 0 ? (weight * total) / own : 0 };
  });
}

/** The score of a group's item, by its index. The same sum as that of the terms that explain it. */
export function scoreAt(model: PopularModel, { whole, own }: Blend, place: number): number {
  return whole * model.popularity[model.item[place]!]! + own * model.groupPopularity[place]!;
}

const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);

/** All items, the most popular first. */
export function byPopularity({ popularity }: Pick<PopularModel, 'popularity'>): Uint32Array {
  return Uint32Array.from(popularity.keys()).sort((a, b) => popularity[b]! - popularity[a]! || a - b);
}

/** The group of a user with these attribute tokens; the first one if a list attribute gives several. */
export function groupOf({ attribute, offsets }: PopularModel, tokens: Iterable<number>): number | undefined {
  if (!attribute) return undefined;
  for (const token of tokens) {
    const group = token - attribute.first;
    if (group >= 0 && group < offsets.length - 1) return group;
  }
  return undefined;
}
