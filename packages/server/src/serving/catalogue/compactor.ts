import { packVector } from '@tastegraph/algorithms';
import { isList } from '../../filters/value.ts';

/** The most interned values; the frequent ones of a catalogue are among the first. */
const maxShared = 20_000;
/** Longer values are titles or texts, which few items share. */
const maxSharedLength = 64;

/** V8's memory for an empty object or list, for an element in one, and in addition for a string or a fraction. */
const emptyBytes = 40;
const elementBytes = 8;
const textBytes = 20;
const fractionBytes = 16;
/** Lists are hardly ever nested deeper. Anything below counts as much as the largest record (256 KiB) could take. */
const maxCountedDepth = 4;
const largestBytes = 2_600_000;

/** What a typed array takes besides its elements. */
const typedArrayBytes = 200;

function packed(vector: readonly unknown[]): { value: Int8Array | null; bytes: number } {
  const value = packVector(vector, vector.length) ?? null;
  return { value, bytes: value ? typedArrayBytes + value.length : 0 };
}

/** Shrinks attributes: drops what a filter cannot read, and interns equal values. */
export class Compactor {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly unknown[]>();
  readonly #vectors: ReadonlySet<string>;

  /** Vectors are reduced to what a model reads of them. */
  constructor(vectors: readonly string[] = []) {
    this.#vectors = new Set(vectors);
  }

  /** Works in place; returns the approximate memory. Interned values are not counted, since they are bounded. */
  compact(attributes: Record<string, unknown>): number {
    let bytes = emptyBytes;
    for (const name of Object.keys(attributes)) {
      const value = attributes[name];
      const one = this.#compactAttribute(name, value);
      if (one.value !== value) attributes[name] = one.value;
      bytes += elementBytes + one.bytes;
    }
    return bytes;
  }

  #compactAttribute(name: string, value: unknown): { value: unknown; bytes: number } {
    if (!isList(value)) return this.#compactValue(value);
    return this.#vectors.has(name) ? packed(value) : this.#compactList(value, 0);
  }

  #compactValue(value: unknown): { value: unknown; bytes: number } {
    if (typeof value === 'number') return { value, bytes: Number.isInteger(value) ? 0 : fractionBytes };
    // A filter treats an object as missing, like null.
    if (typeof value !== 'string') return { value: typeof value === 'object' ? null : value, bytes: 0 };
    return this.#intern(this.#texts, value, value, textBytes + value.length);
  }

  #compactList(list: readonly unknown[], depth: number): { value: unknown; bytes: number } {
    if (depth === maxCountedDepth) return { value: list, bytes: largestBytes };
    let bytes = emptyBytes;
    const value = list.map((element) => {
      const one = isList(element) ? this.#compactList(element, depth + 1) : this.#compactValue(element);
      bytes += elementBytes + one.bytes;
      return one.value;
    });
    if (!value.every((element) => typeof element === 'string')) return { value, bytes };
    // PostgreSQL texts contain no NUL, so different lists have different keys.
    return this.#intern(this.#lists, `${value.length}\0${value.join('\0')}`, value, bytes);
  }

  #intern<T>(shared: Map<string, T>, key: string, value: T, bytes: number): { value: T; bytes: number } {
    if (key.length > maxSharedLength) return { value, bytes };
    const known = shared.get(key);
    if (known !== undefined) return { value: known, bytes: 0 };
    if (shared.size < maxShared) shared.set(key, value);
    return { value, bytes };
  }
}
