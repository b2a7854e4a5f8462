import { type AttributeCode, type AttributeRecord, type AttributeValue, textsOf } from './attributes.ts';
import { seededRandom } from './random.ts';

/** Bins of equal counts: what a number means is left to the regression, of which it need not be a straight line. */
const numericalBins = 8;
/** A value borne by fewer says nothing that could be told from chance; a name or an address is such a value. */
const fewestBearers = 5;
/** The most frequent values of an attribute: beyond, it is an identifier rather than a property. */
const mostValues = 1000;
/** Counted at once. Eight for each that is kept: a value that is frequent is not crowded out by those met before it. */
const mostCounted = 8 * mostValues;
/** Longer, it is a text and not the name of a category; so the counts of an attribute stay within a few megabytes. */
export const longestValue = 256;
/** An edge of a bin is then off by less than half a percent of the records; with fewer records it is exact. */
const sampleSize = 16_384;
/** Attributes nobody declared: as many as may be declared. Beyond, names are data (`"seen_4711": true`). */
const mostInferred = 200;

/** TEXT has no code. */
export type LearnableKind = AttributeCode['kind'] | 'TEXT';

export interface LearnedAttribute {
  readonly name: string;
  /** How many records have the attribute. */
  readonly bearers: number;
  /** Undefined: TEXT. Without values: too few records share one. */
  readonly code: AttributeCode | undefined;
}

/**
 * Learns codes in one pass over any number of records, in memory that does not grow with them. The same records in the
 * same order give the same codes.
 */
export class CodeLearner {
  readonly #attributes = new Map<string, AttributeLearner>();
  readonly #infers: boolean;
  #inferred = 0;
  #passedOver = 0;

  /**
   * An attribute that is not `declared` is NUMERICAL when all its values are numbers, else CATEGORICAL, unless only those
   * declared are asked for.
   */
  constructor(declared: Readonly<Record<string, LearnableKind>>, { infers = true } = {}) {
    for (const [name, kind] of Object.entries(declared))
      this.#attributes.set(name, new AttributeLearner(kind));
    this.#infers = infers;
  }

  add(record: AttributeRecord): void {
    for (const name of Object.keys(record)) {
      const value = record[name];
      if (value === null || value === undefined) continue;
      (this.#attributes.get(name) ?? this.#infer(name))?.add(value);
    }
  }

  #infer(name: string): AttributeLearner | undefined {
    if (!this.#infers) return undefined;
    if (this.#inferred === mostInferred) {
      this.#passedOver++;
      return undefined;
    }
    this.#inferred++;
    const learner = new AttributeLearner(undefined);
    this.#attributes.set(name, learner);
    return learner;
  }

  /** Values of attributes that were met when there were too many others already. */
  get passedOver(): number {
    return this.#passedOver;
  }

  /** Those declared first, in their order, then those inferred, by name: who comes first does not matter. */
  finish(): LearnedAttribute[] {
    const declared = [...this.#attributes].filter(([, learner]) => learner.declared);
    const inferred = [...this.#attributes].filter(([, learner]) => !learner.declared);
    inferred.sort(([a], [b]) => (a < b ? -1 : 1));
    return [...declared, ...inferred].map(([name, learner]) => ({
      name,
      bearers: learner.bearers,
      code: learner.finish(name),
    }));
  }
}

/** Learns the codes of these attributes from records at hand. */
export function learnCodes(
  attributes: readonly { name: string; kind: AttributeCode['kind'] }[],
  records: readonly AttributeRecord[],
): AttributeCode[] {
  const kinds = Object.fromEntries(attributes.map(({ name, kind }) => [name, kind]));
  const learner = new CodeLearner(kinds, { infers: false });
  for (const record of records) learner.add(record);
  return learner.finish().flatMap(({ code }) => code ?? []);
}

class AttributeLearner {
  readonly declared: LearnableKind | undefined;
  readonly #counts = new ValueCounts();
  readonly #sample = new NumberSample();
  /** While a kind is not declared, all values so far are numbers, and are learned both ways. */
  #numbersOnly = true;
  bearers = 0;

  constructor(declared: LearnableKind | undefined) {
    this.declared = declared;
  }

  add(value: Exclude<AttributeValue, null | undefined>): void {
    this.bearers++;
    if (this.declared === 'TEXT') return;
    if (typeof value !== 'number') this.#numbersOnly = false;
    else if (this.declared !== 'CATEGORICAL' && Number.isFinite(value)) this.#sample.add(value);
    if (this.declared !== 'NUMERICAL') for (const text of textsOf(value)) this.#counts.add(text);
  }

  finish(name: string): AttributeCode | undefined {
    const kind = this.declared ?? (this.#numbersOnly ? 'NUMERICAL' : 'CATEGORICAL');
    if (kind === 'TEXT') return undefined;
    return kind === 'NUMERICAL'
      ? { name, kind, edges: this.#sample.edges() }
      : { name, kind, values: this.#counts.frequent() };
  }
}

/**
 * How often values occur: exact up to `mostCounted` different ones. With more, by Misra and Gries: whenever there are too
 * many, all counts are lowered by the median and what is left with nothing is forgotten. A count is then too low by at
 * most 2 / mostCounted of all values there were, so what is frequent stays.
 */
class ValueCounts {
  readonly #counts = new Map<string, number>();

  add(value: string): void {
    if (value.length > longestValue) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#counts.size > mostCounted) this.#thin();
  }

  #thin(): void {
    const sorted = Float64Array.from(this.#counts.values()).sort();
    const median = sorted[sorted.length >> 1]!;
    for (const [value, count] of this.#counts)
      if (count <= median) this.#counts.delete(value);
      else this.#counts.set(value, count - median);
  }

  frequent(): string[] {
    return [...this.#counts]
      .filter(([, count]) => count >= fewestBearers)
      .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
      .slice(0, mostValues)
      .map(([value]) => value);
  }
}

/** A uniform sample of numbers, of any count (a reservoir); all of them while they are few. */
class NumberSample {
  readonly #kept: number[] = [];
  readonly #random = seededRandom(1);
  #seen = 0;

  add(value: number): void {
    this.#seen++;
    if (this.#kept.length < sampleSize) {
      this.#kept.push(value);
      return;
    }
    const place = Math.floor(this.#random() * this.#seen);
    if (place < sampleSize) this.#kept[place] = value;
  }

  /** Where each bin of equal counts begins, but the first. */
  edges(): number[] {
    const numbers = Float64Array.from(this.#kept).sort();
    const edges = new Set<number>();
    for (let bin = 1; bin < numericalBins; bin++) {
      const edge = numbers[Math.floor((bin * numbers.length) / numericalBins)];
      // The smallest value begins the first bin by itself.
      if (edge !== undefined && edge > numbers[0]!) edges.add(edge);
    }
    return [...edges];
  }
}
