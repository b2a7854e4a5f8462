import { isList } from '../filter/value.ts';

/** Values that many items share are kept once; the frequent ones of a catalogue are among the first so many. */
const sharedValues = 20_000;
/** What is longer is a title or a text, and shared by few. */
const sharedLength = 64;

/** What V8 takes for an object or a list without elements, for a place in one, and for a text or a fraction beside it. */
const emptyBytes = 40;
const placeBytes = 8;
const textBytes = 20;
const fractionBytes = 16;
/** Nobody nests lists so deep; what is in there counts as much as the largest record of 20 kB could take. */
const countedDepth = 4;
const largestBytes = 200_000;

/** Makes attributes small: what a filter cannot see goes, and equal values are one. */
export class Compactor {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly unknown[]>();

  /** In place; answers about how much memory they take. What is shared is not counted: it is bounded. */
  compact(attributes: Record<string, unknown>): number {
    let bytes = emptyBytes;
    for (const name of Object.keys(attributes)) {
      const value = attributes[name];
      const one = isList(value) ? this.#compactList(value, 0) : this.#compactValue(value);
      if (one.value !== value) attributes[name] = one.value;
      bytes += placeBytes + one.bytes;
    }
    return bytes;
  }

  #compactValue(value: unknown): { value: unknown; bytes: number } {
    if (typeof value === 'number') return { value, bytes: Number.isInteger(value) ? 0 : fractionBytes };
    // A filter takes an object for not there, as it takes null.
    if (typeof value !== 'string') return { value: typeof value === 'object' ? null : value, bytes: 0 };
    return this.#once(this.#texts, value, value, textBytes + value.length);
  }

  #compactList(list: readonly unknown[], depth: number): { value: unknown; bytes: number } {
    if (depth === countedDepth) return { value: list, bytes: largestBytes };
    let bytes = emptyBytes;
    const value = list.map((element) => {
      const one = isList(element) ? this.#compactList(element, depth + 1) : this.#compactValue(element);
      bytes += placeBytes + one.bytes;
      return one.value;
    });
    if (!value.every((element) => typeof element === 'string')) return { value, bytes };
    // No text in PostgreSQL holds a zero, so no two lists come to the same.
    return this.#once(this.#lists, `${value.length}\0${value.join('\0')}`, value, bytes);
  }

  #once<T>(shared: Map<string, T>, key: string, value: T, bytes: number): { value: T; bytes: number } {
    if (key.length > sharedLength) return { value, bytes };
    const known = shared.get(key);
    if (known !== undefined) return { value: known, bytes: 0 };
    if (shared.size < sharedValues) shared.set(key, value);
    return { value, bytes };
  }
}
