import { type Incidence, rowOf } from '../../data/incidence.ts';
import { sharedU32 } from '../../lib/arrays.ts';

/** A value or pair that fewer items have cannot be told from chance. */
const fewestHolders = 5;
/** The most held ones are kept. The cost of the map grows with their number, and memory with its square. */
const maxFeatures = 4096;
/** Only the most held values form pairs: counting takes 4 bytes per possible pair. */
const maxPaired = 1024;
/** Of each source besides values. These form no pairs, which would be too many. */
const maxOthers = 1024;
/** Per item, with the constant: first the most held values, then the rarest words, which say most, then pairs of values. */
export const maxItemFeatures = 64;

/** In place of a value. */
export const noValue = 0xffffffff;

/** What a score can depend on: a constant (feature 0), values of item attributes, and pairs of values, such as brand and category. */
export interface Features {
  readonly count: number;
  /** By feature, its values: both are `noValue` for the constant, the second one for a single value. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
}

/** Columns of item attributes: from the first one, up to the last one exclusively. */
interface ColumnRange {
  readonly from: number;
  readonly to: number;
}

/** The columns that are values of attributes, and those of each source that is used. */
export interface UsedColumns {
  readonly values: ColumnRange;
  readonly others: readonly ColumnRange[];
}

/** Learns features from the items that are 1 in `isKnown`. */
export function learnFeatures(
  attributes: Incidence,
  isKnown: Uint8Array,
  used: UsedColumns = { values: { from: 0, to: attributes.columns }, others: [] },
): Features {
  const { rows, columns, offsets, column } = attributes;
  const holders = new Uint32Array(columns);
  const known = Math.min(rows, isKnown.length);
  for (let item = 0; item < known; item++)
    if (isKnown[item] === 1)
      for (let cell = offsets[item]!; cell < offsets[item + 1]!; cell++) holders[column[cell]!]!++;
  const values = mostHeldIn(holders, used.values, maxFeatures - 1);
  const others = used.others.flatMap((range) => mostHeldIn(holders, range, maxOthers).reverse());
  const singles = [...values, ...others].slice(0, maxFeatures - 1);
  const paired = values.slice(0, maxPaired);
  const rank = new Uint32Array(columns).fill(noValue);
  for (const [place, value] of paired.entries()) rank[value] = place;
  const together = new Uint32Array(paired.length ** 2);
  for (let item = 0; item < known; item++) {
    if (isKnown[item] !== 1) continue;
    const ranks = ranksOf(rank, rowOf(attributes, item));
    for (const [place, one] of ranks.entries())
      for (const other of ranks.slice(place + 1)) together[one * paired.length + other]!++;
  }
  const pairs = mostHeld(together, maxFeatures - 1 - singles.length);
  const first = [noValue, ...singles, ...pairs.map((pair) => paired[Math.floor(pair / paired.length)]!)];
  const second = [
    noValue,
    ...singles.map(() => noValue),
    ...pairs.map((pair) => paired[pair % paired.length]!),
  ];
  return { count: first.length, first: shared(first), second: shared(second) };
}

/** Ascending, and few enough that a long list of values forms a bounded number of pairs. */
function ranksOf(rank: Uint32Array, values: Uint32Array): Uint32Array {
  const ranks = Uint32Array.from(values, (value) => rank[value]!).filter((one) => one !== noValue);
  return ranks.sort().slice(0, maxItemFeatures);
}

function mostHeldIn(holders: Uint32Array, { from, to }: ColumnRange, max: number): number[] {
  return mostHeld(holders.subarray(from, to), max).map((column) => from + column);
}

function mostHeld(holders: Uint32Array, max: number): number[] {
  const kept: number[] = [];
  for (let place = 0; place < holders.length; place++) if (holders[place]! >= fewestHolders) kept.push(place);
  return kept.sort((one, other) => holders[other]! - holders[one]! || one - other).slice(0, Math.max(0, max));
}

function shared(values: readonly number[]): Uint32Array {
  const array = sharedU32(values.length);
  array.set(values);
  return array;
}

/** Turns an item's values into its features, ascending. None without a known value: the constant alone says nothing about an item. */
export function featureEncoder({ count, first, second }: Features): (values: ArrayLike<number>) => number[] {
  const singles = new Map<number, number>();
  const pairs = new Map<number, Map<number, number>>();
  for (let feature = 1; feature < count; feature++) {
    const one = first[feature]!;
    if (second[feature] === noValue) singles.set(one, feature);
    else {
      const partners = pairs.get(one) ?? new Map<number, number>();
      pairs.set(one, partners);
      partners.set(second[feature]!, feature);
    }
  }
  return (values) => {
    const own = new Set<number>();
    for (let place = 0; place < values.length; place++)
      if (singles.has(values[place]!)) own.add(values[place]!);
    // Features are by rank, so sorting them gives the most held values first, as when pairs were counted.
    const kept = [...own].sort((a, b) => singles.get(a)! - singles.get(b)!).slice(0, maxItemFeatures);
    if (kept.length === 0) return [];
    const features = [0, ...kept.map((value) => singles.get(value)!)];
    for (const [place, one] of kept.entries()) {
      const partners = pairs.get(one);
      if (partners)
        for (const other of kept.slice(place + 1)) {
          const feature = partners.get(other);
          if (feature !== undefined) features.push(feature);
        }
    }
    return features.sort((a, b) => a - b).slice(0, maxItemFeatures);
  };
}

/** The features of all items, one row per item. */
export function encodeItems(features: Features, attributes: Incidence, items: number): Incidence {
  const encode = featureEncoder(features);
  const lists = Array.from({ length: items }, (_, item) => encode(rowOf(attributes, item)));
  const offsets = sharedU32(items + 1);
  for (const [item, list] of lists.entries()) offsets[item + 1] = offsets[item]! + list.length;
  const column = sharedU32(offsets[items]!);
  for (const [item, list] of lists.entries()) column.set(list, offsets[item]);
  return { rows: items, columns: features.count, offsets, column };
}
