import { countsToOffsets } from '../arrays.ts';
import type { AttributeRecord, Scalar } from '../attributes.ts';
import { IncidenceBuilder } from '../incidence-builder.ts';
import { longestValue } from '../learn-codes.ts';
import { bytesAt, type Texts, textAt } from '../texts.ts';
import { TextTable } from './text-table.ts';

/**
 * Which items carry which value of which attribute: each scalar that a record has, and each element of a list. As they were
 * in the records, whatever the model made of them.
 */
export interface ItemValues {
  /** Of attributes that have a value, in the order of their code units. */
  readonly names: readonly string[];
  /** The values of name n are those from first[n] to first[n + 1]. */
  readonly first: Uint32Array;
  /** By value: its JSON. */
  readonly texts: Texts;
  /** The items that carry value v, ascending, are those in `carrier` from offsets[v] to offsets[v + 1]. */
  readonly offsets: Uint32Array;
  readonly carrier: Uint32Array;
}

/** Five times what may be declared. Beyond, names are data (`"seen_4711": true`), and nobody asks for them one by one. */
const mostNames = 1000;

/** Collects them record by record: the items' numbers are the order in which they come. */
export class ItemValuesBuilder {
  readonly #names = new Map<string, number>();
  readonly #table = new TextTable();
  /** By value: the last item that has it, plus 1, so that a list that names it twice counts once. */
  #last = new Uint32Array(1024);
  readonly #rows = new IncidenceBuilder();
  #passedOver = 0;

  /** Names that are declared have their place, however many others there are. */
  constructor(declared: readonly string[] = []) {
    for (const name of declared) this.#names.set(name, this.#names.size);
  }

  /** Values of attributes that were met when there were too many others already. */
  get passedOver(): number {
    return this.#passedOver;
  }

  add(record: AttributeRecord): void {
    const values: number[] = [];
    for (const name of Object.keys(record)) {
      const value = record[name];
      if (value === null || value === undefined) continue;
      const group = this.#group(name);
      if (group === undefined) this.#passedOver++;
      else if (typeof value !== 'object') this.#put(group, value, values);
      else for (const element of value) this.#put(group, element, values);
    }
    this.#rows.push(values);
  }

  #group(name: string): number | undefined {
    const known = this.#names.get(name);
    if (known !== undefined || this.#names.size >= mostNames || name.length > longestValue) return known;
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

  /** Rows of values turned into rows of items, which so come in ascending order. */
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

/** The texts where `renumber` puts them. */
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

/** A long text is no value that somebody asks for, and what is no number in JSON cannot be asked for. */
function isKept(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= longestValue && value.isWellFormed();
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean';
}

/** The number of a value, if some item carries it. Looks at the lengths of the attribute's values, and at few of them closer. */
export function findValue(values: ItemValues, attribute: string, value: Scalar): number | undefined {
  const name = values.names.indexOf(attribute);
  if (name === -1 || !isKept(value)) return undefined;
  const wanted = new TextEncoder().encode(JSON.stringify(value));
  const { bytes, ends } = values.texts;
  const isWanted = (from: number) => wanted.every((byte, place) => bytes[from + place] === byte);
  let from = ends[values.first[name]! - 1] ?? 0;
  for (let number = values.first[name]!; number < values.first[name + 1]!; number++) {
    if (ends[number]! - from === wanted.length && isWanted(from)) return number;
    from = ends[number]!;
  }
  return undefined;
}

/** The values of an attribute with how many items carry each; none for a name that no item has. */
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
