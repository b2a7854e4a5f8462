import type { AttributeRecord, Scalar } from '../data/attributes.ts';
import { IncidenceBuilder } from '../data/incidence.ts';
import { longestValue } from '../data/learn-codes.ts';
import { bytesAt, type Texts, textAt } from '../data/texts.ts';
import { countsToOffsets } from '../lib/arrays.ts';
import { TextTable } from './text-table.ts';

/** Which items carry which value: each scalar of a record and each element of a list, however the model encodes them. */
export interface ItemValues {
  /** Names of the attributes that have a value, in code unit order. */
  readonly names: readonly string[];
  /** The values of name n are those from first[n] to first[n + 1]. */
  readonly first: Uint32Array;
  /** By value: its JSON. */
  readonly texts: Texts;
  /** The items that carry value v, ascending, are those in `carrier` from offsets[v] to offsets[v + 1]. */
  readonly offsets: Uint32Array;
  readonly carrier: Uint32Array;
}

/** Five times the limit for declared attributes. With more, names are data (`"seen_4711": true`) that nobody queries. */
const maxNames = 1000;

/** Builds ItemValues record by record; items are numbered in the order in which they come. */
export class ItemValuesBuilder {
  readonly #names = new Map<string, number>();
  readonly #table = new TextTable();
  /** By value: the last item that has it, plus 1, so that a value that is twice in a list counts once. */
  #last = new Uint32Array(1024);
  readonly #rows = new IncidenceBuilder();
  #ignoredValues = 0;
  readonly #skipped: ReadonlySet<string>;

  /** Declared names always have a place, however many others there are. `skipped` ones have no values that items share. */
  constructor(declared: readonly string[] = [], skipped: ReadonlySet<string> = new Set()) {
    this.#skipped = skipped;
    for (const name of declared) this.#names.set(name, this.#names.size);
  }

  /** How many values were ignored because there were already too many other attributes. */
  get ignoredValues(): number {
    return this.#ignoredValues;
  }

  add(record: AttributeRecord): void {
    const values: number[] = [];
    for (const name of Object.keys(record)) {
      const value = record[name];
      if (value === null || value === undefined || this.#skipped.has(name)) continue;
      const group = this.#group(name);
      if (group === undefined) this.#ignoredValues++;
      else if (typeof value !== 'object') this.#put(group, value, values);
      else for (const element of value) this.#put(group, element, values);
    }
    this.#rows.push(values);
  }

  #group(name: string): number | undefined {
    const known = this.#names.get(name);
    if (known !== undefined || this.#names.size >= maxNames || name.length > longestValue) return known;
    const group = this.#names.size;
    this.#names.set(name, group);
    return group;
  }

  #put(group: number, value: Scalar, values: number[]): void {
    if (!isKept(value)) return;
    const number = this.#table.number(group, JSON.stringify(value));
    if (number >= this.#last.length) {
      const grown = new Uint32Array(number * 2);
      grown.set(this.#last);
      this.#last = grown;
    }
    if (this.#last[number] === this.#rows.rows + 1) return;
    this.#last[number] = this.#rows.rows + 1;
    values.push(number);
  }

  build(): ItemValues {
    const { texts, group } = this.#table.build();
    const count = new Uint32Array(this.#names.size);
    for (const one of group) count[one]!++;
    const named = [...this.#names].filter(([, one]) => count[one]! > 0).sort(([a], [b]) => (a < b ? -1 : 1));
    const first = new Uint32Array(named.length + 1);
    for (const [place, [, one]] of named.entries()) first[place + 1] = first[place]! + count[one]!;
    const next = new Uint32Array(this.#names.size);
    for (const [place, [, one]] of named.entries()) next[one] = first[place]!;
    const renumber = Uint32Array.from(group, (one) => next[one]!++);
    return {
      names: named.map(([name]) => name),
      first,
      texts: permuted(texts, renumber),
      ...this.#carriers(renumber),
    };
  }

  /** Transposes rows of values into rows of items, which are therefore in ascending order. */
  #carriers(renumber: Uint32Array): Pick<ItemValues, 'offsets' | 'carrier'> {
    const { rows, column, offsets: from } = this.#rows.build(renumber.length);
    const offsets = new Uint32Array(renumber.length + 1);
    for (const value of column) offsets[renumber[value]! + 1]!++;
    countsToOffsets(offsets);
    const carrier = new Uint32Array(column.length);
    const cursor = offsets.slice();
    for (let item = 0; item < rows; item++)
      for (let place = from[item]!; place < from[item + 1]!; place++)
        carrier[cursor[renumber[column[place]!]!]!++] = item;
    return { offsets, carrier };
  }
}

/** The texts in the order given by `renumber`. */
function permuted(texts: Texts, renumber: Uint32Array): Texts {
  const ends = new Uint32Array(renumber.length);
  for (let index = 0; index < renumber.length; index++) ends[renumber[index]!] = bytesAt(texts, index).length;
  countsToOffsets(ends);
  const bytes = new Uint8Array(texts.bytes.length);
  for (let index = 0; index < renumber.length; index++) {
    const from = bytesAt(texts, index);
    bytes.set(from, ends[renumber[index]!]! - from.length);
  }
  return { bytes, ends };
}

/** Nobody queries by a long text, and a number that JSON cannot express cannot be queried. */
function isKept(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= longestValue && value.isWellFormed();
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean';
}

/**
 * The numbers of the values that equal this one and that some item carries: values are equal if their texts are, such as 5
 * and "5", since one source writes a number where another writes its text. Compares lengths first, so few of the
 * attribute's values are read.
 */
export function findValues(values: ItemValues, attribute: string, value: Scalar): number[] {
  const name = values.names.indexOf(attribute);
  if (name === -1 || !isKept(value)) return [];
  // As JSON, a number or a boolean is its own text.
  const spellings = [String(value), JSON.stringify(String(value))].map((text) =>
    new TextEncoder().encode(text),
  );
  const { bytes, ends } = values.texts;
  const found: number[] = [];
  let from = ends[values.first[name]! - 1] ?? 0;
  for (let number = values.first[name]!; number < values.first[name + 1]!; number++) {
    const length = ends[number]! - from;
    const isSpelled = (text: Uint8Array) =>
      text.length === length && text.every((byte, place) => bytes[from + place] === byte);
    if (spellings.some(isSpelled)) found.push(number);
    from = ends[number]!;
  }
  return found;
}

/** The values of an attribute with the number of items that carry each; empty for an unknown name. */
export function* valuesOf(
  values: ItemValues,
  attribute: string,
): Generator<{ readonly number: number; readonly value: Scalar; readonly items: number }, void> {
  const name = values.names.indexOf(attribute);
  if (name === -1) return;
  for (let number = values.first[name]!; number < values.first[name + 1]!; number++) {
    const items = values.offsets[number + 1]! - values.offsets[number]!;
    yield { number, value: JSON.parse(textAt(values.texts, number)) as Scalar, items };
  }
}

/** The items that carry the value, ascending. */
export const carriersOf = ({ offsets, carrier }: ItemValues, value: number) =>
  carrier.subarray(offsets[value], offsets[value + 1]);
