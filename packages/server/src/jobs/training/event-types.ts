import { unusedType } from '@tastegraph/algorithms';
import { decodeText } from '../../storage/postgres/copy-rows.ts';
import type { LeftOut } from './training-input.ts';

/** Beside the target. The search tries weights for each type, so each costs a training more. */
const mostOthers = 15;
/** Numbers of types are held in 16 bits while reading. Beyond, what is in event_type is no type: all share a number. */
const mostNumbered = 65_535;
/** Named in a message; more would not be read. */
const mostNamed = 10;

export interface ChosenTypes {
  /** By their new numbers; 0 is the target. */
  readonly names: string[];
  /** From the number that was given while reading to the new one; `unusedType` for what is left out. */
  readonly renumber: Uint8Array;
  readonly leftOut: readonly LeftOut[];
}

/** Numbers event types as they are met, and counts them; which are kept is known at the end. */
export class EventTypes {
  readonly #target: string;
  readonly #named: ReadonlySet<string>;
  /** By the bytes of the name, a character each: so they come from COPY. */
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #counts: number[] = [];

  /** `named` are types that the developer named: with the target, they get a number before there are too many. */
  constructor(target: string, named: readonly string[]) {
    this.#target = target;
    this.#named = new Set(named);
    for (const name of [target, ...named]) this.#number(Buffer.from(name).toString('latin1'));
  }

  /** The number of the type with these bytes, counted once more. */
  count(bytes: string): number {
    const number = this.#numbers.get(bytes) ?? this.#number(Buffer.from(bytes, 'latin1').toString('latin1'));
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    return number;
  }

  /** `bytes` is kept: it must be no slice of something larger. */
  #number(bytes: string): number {
    const known = this.#numbers.get(bytes);
    if (known !== undefined) return known;
    if (this.#names.length === mostNumbered) return mostNumbered;
    this.#numbers.set(bytes, this.#names.length);
    return this.#names.push(decodeText(bytes)) - 1;
  }

  get targetCount(): number {
    return this.#counts[0] ?? 0;
  }

  /** Keeps the target, then those that are named and occur, then the most frequent; numbered by how frequent they are. */
  choose(): ChosenTypes {
    const others = this.#byFrequency().filter((name) => name !== this.#target);
    const kept = [
      ...others.filter((name) => this.#named.has(name)),
      ...others.filter((name) => !this.#named.has(name)),
    ];
    const dropped = kept.splice(mostOthers);
    const isKept = new Set(kept);
    const names = [this.#target, ...others.filter((name) => isKept.has(name))];
    const numbers = new Map(names.map((name, number) => [name, number]));
    const renumber = new Uint8Array(mostNumbered + 1).fill(unusedType);
    for (const [number, name] of this.#names.entries()) renumber[number] = numbers.get(name) ?? unusedType;
    return { names, renumber, leftOut: this.#describe(dropped) };
  }

  /** Which types occur how often, for a message. */
  summary(): string {
    const names = this.#byFrequency();
    const named = names
      .slice(0, mostNamed)
      .map((name) => `${JSON.stringify(name)} (${this.#countOf(name).toLocaleString('en')})`);
    const more = names.length - named.length;
    return more > 0 ? `${named.join(', ')} and ${more.toLocaleString('en')} other types` : named.join(', ');
  }

  #countOf(name: string): number {
    const number = this.#numbers.get(Buffer.from(name).toString('latin1'));
    return number === undefined ? 0 : (this.#counts[number] ?? 0);
  }

  /** Those that occur; ties by name. */
  #byFrequency(): string[] {
    return this.#names
      .map((name, number) => ({ name, count: this.#counts[number] ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name);
  }

  #describe(dropped: readonly string[]): LeftOut[] {
    const count = dropped.reduce((sum, name) => sum + this.#countOf(name), this.#counts[mostNumbered] ?? 0);
    if (count === 0) return [];
    const named = dropped.slice(0, mostNamed).map((name) => JSON.stringify(name));
    const what = `events of the types ${named.join(', ')}${dropped.length > named.length ? ' and others' : ''}`;
    return [{ what, count, why: `only the ${mostOthers} most frequent types beside the target are used` }];
  }
}
