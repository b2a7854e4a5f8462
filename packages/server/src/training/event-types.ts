import { unusedType } from '@tastegraph/algorithms';
import { decodeText } from '../kernel/postgres/copy-rows.ts';
import type { LeftOut } from './training-input.ts';

/** Besides the target. The search tries weights for each type, so each adds to the training time. */
const maxOthers = 15;
/** Numbers have 16 bits while reading. With more values, event_type does not contain types, and the rest shares a number. */
const maxNumbered = 65_535;
/** The most types listed in a message. */
const maxNamed = 10;

export interface ChosenTypes {
  /** By new number; 0 is the target. */
  readonly names: string[];
  /** Maps numbers assigned while reading to new ones; `unusedType` for types that are left out. */
  readonly renumber: Uint8Array;
  readonly leftOut: readonly LeftOut[];
}

/** The types that a reader has seen: by its number, the name, and how many events have it. */
export interface TypeCounts {
  readonly names: readonly string[];
  readonly counts: readonly number[];
}

/** Whether some types share a number, so that their counts cannot be added to those of another reader. */
export const isOverfull = ({ counts }: TypeCounts): boolean => (counts[maxNumbered] ?? 0) > 0;

/** Numbers and counts event types as they occur; which ones to keep is decided at the end. */
export class EventTypes {
  readonly #target: string;
  readonly #named: ReadonlySet<string>;
  /** Keyed by the name's bytes, one character per byte, as they come from COPY. */
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #counts: number[] = [];

  /** `named`: types that the developer named. Like the target, they get a number before the limit is reached. */
  constructor(target: string, named: readonly string[]) {
    this.#target = target;
    this.#named = new Set(named);
    for (const name of [target, ...named]) this.#number(Buffer.from(name).toString('latin1'));
  }

  /** Counts one event, and returns the number of its type. */
  count(bytes: string): number {
    const number = this.#numbers.get(bytes) ?? this.#number(Buffer.from(bytes, 'latin1').toString('latin1'));
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    return number;
  }

  /** Keeps `bytes`, so it must not be a slice of a larger string. */
  #number(bytes: string): number {
    const known = this.#numbers.get(bytes);
    if (known !== undefined) return known;
    if (this.#names.length === maxNumbered) return maxNumbered;
    this.#numbers.set(bytes, this.#names.length);
    return this.#names.push(decodeText(bytes)) - 1;
  }

  get seen(): TypeCounts {
    return { names: this.#names, counts: this.#counts };
  }

  /** Counts what another reader has seen. Returns our number of each of its types. */
  add({ names, counts }: TypeCounts): Uint16Array {
    return Uint16Array.from(names, (name, number) => {
      const own = this.#number(Buffer.from(name).toString('latin1'));
      this.#counts[own] = (this.#counts[own] ?? 0) + (counts[number] ?? 0);
      return own;
    });
  }

  get targetCount(): number {
    return this.#counts[0] ?? 0;
  }

  /** Keeps the target, then named types that occur, then the most frequent others; numbers them by frequency. */
  choose(): ChosenTypes {
    const others = this.#byFrequency().filter((name) => name !== this.#target);
    const kept = [
      ...others.filter((name) => this.#named.has(name)),
      ...others.filter((name) => !this.#named.has(name)),
    ];
    const dropped = kept.splice(maxOthers);
    const isKept = new Set(kept);
    const names = [this.#target, ...others.filter((name) => isKept.has(name))];
    const numbers = new Map(names.map((name, number) => [name, number]));
    const renumber = new Uint8Array(maxNumbered + 1).fill(unusedType);
    for (const [number, name] of this.#names.entries()) renumber[number] = numbers.get(name) ?? unusedType;
    return { names, renumber, leftOut: this.#describe(dropped) };
  }

  /** Lists types with their counts, for a message. */
  summary(): string {
    const names = this.#byFrequency();
    const named = names
      .slice(0, maxNamed)
      .map((name) => `${JSON.stringify(name)} (${this.#countOf(name).toLocaleString('en')})`);
    const more = names.length - named.length;
    return more > 0 ? `${named.join(', ')} and ${more.toLocaleString('en')} other types` : named.join(', ');
  }

  #countOf(name: string): number {
    const number = this.#numbers.get(Buffer.from(name).toString('latin1'));
    return number === undefined ? 0 : (this.#counts[number] ?? 0);
  }

  /** Types that occur; ties by name. */
  #byFrequency(): string[] {
    return this.#names
      .map((name, number) => ({ name, count: this.#counts[number] ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name);
  }

  #describe(dropped: readonly string[]): LeftOut[] {
    const count = dropped.reduce((sum, name) => sum + this.#countOf(name), this.#counts[maxNumbered] ?? 0);
    if (count === 0) return [];
    const named = dropped.slice(0, maxNamed).map((name) => JSON.stringify(name));
    const what = `events of the types ${named.join(', ')}${dropped.length > named.length ? ' and others' : ''}`;
    return [{ what, count, why: `only the ${maxOthers} most frequent types besides the target are used` }];
  }
}
