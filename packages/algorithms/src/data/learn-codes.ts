import { Reservoir } from '../lib/reservoir.ts';
import { learnAreas } from '../vectors/areas.ts';
import { packVector } from '../vectors/pack.ts';
import {
  type AttributeCode,
  type AttributeRecord,
  type AttributeValue,
  textsOf,
  type VectorCode,
  wordsOf,
} from './attributes.ts';

/** Numbers are split into bins of equal counts, so that the regression can learn effects that are not linear. */
const numericalBins = 8;
/** A value that fewer records have, such as a name or an address, cannot be told from chance. */
const fewestBearers = 5;
/** Only this many of an attribute's values are kept, the most frequent: with more, it is an identifier, not a property. */
const maxValues = 1000;
/** Values counted at a time: eight times those kept, so that earlier values do not crowd out a frequent one. */
const maxCounted = 8 * maxValues;
/** A longer value is text, not the name of a category. The limit also keeps the counts of an attribute within a few megabytes. */
export const longestValue = 256;
/** Enough for the edges of the bins to be off by less than half a percent of the records; exact with fewer records. */
const sampleSize = 16_384;
/** Limit for undeclared attributes, the same as for declared ones. With more, names are data (`"seen_4711": true`). */
const maxInferred = 200;

/** A word that a larger share of the records has, such as "the", says nothing. */
const maxWordShare = 0.2;

export type LearnableKind = Exclude<AttributeCode['kind'], 'VECTOR'> | { readonly vectorLength: number };

export interface LearnedAttribute {
  readonly name: string;
  /** How many records have the attribute. */
  readonly bearers: number;
  /** Has no values if too few records share one. */
  readonly code: AttributeCode;
}

/** Learns codes in one pass, in memory that does not grow with the records. The same records in the same order give the same codes. */
export class CodeLearner {
  readonly #attributes = new Map<string, AttributeLearner>();
  readonly #infers: boolean;
  #inferred = 0;
  #ignoredValues = 0;

  /** Infers an attribute that is not `declared`: NUMERICAL if all values are numbers, else CATEGORICAL; ignored without `infers`. */
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
    if (this.#inferred === maxInferred) {
      this.#ignoredValues++;
      return undefined;
    }
    this.#inferred++;
    const learner = new AttributeLearner(undefined);
    this.#attributes.set(name, learner);
    return learner;
  }

  /** How many values were ignored because there were already too many other attributes. */
  get ignoredValues(): number {
    return this.#ignoredValues;
  }

  /** Declared attributes first, in their order, then inferred ones by name, so that the order of records does not matter. */
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

/** Learns the codes of the given attributes from records in memory. */
export function learnCodes(
  attributes: readonly { name: string; kind: LearnableKind }[],
  records: readonly AttributeRecord[],
): AttributeCode[] {
  const kinds = Object.fromEntries(attributes.map(({ name, kind }) => [name, kind]));
  const learner = new CodeLearner(kinds, { infers: false });
  for (const record of records) learner.add(record);
  return learner.finish().map(({ code }) => code);
}

class AttributeLearner {
  readonly declared: LearnableKind | undefined;
  readonly #counts = new ValueCounts();
  readonly #sample = new Reservoir<number>(sampleSize);
  readonly #vectors: VectorSample | undefined;
  /** True while an undeclared attribute has only had numbers. Its values are then learned both ways. */
  #numbersOnly = true;
  bearers = 0;

  constructor(declared: LearnableKind | undefined) {
    this.declared = declared;
    if (typeof declared === 'object') this.#vectors = new VectorSample(declared.vectorLength);
  }

  add(value: Exclude<AttributeValue, null | undefined>): void {
    this.bearers++;
    if (this.#vectors) {
      this.#vectors.add(value);
      return;
    }
    if (this.declared === 'TEXT') {
      for (const word of wordsOf(value)) this.#counts.add(word);
      return;
    }
    if (typeof value !== 'number') this.#numbersOnly = false;
    else if (this.declared !== 'CATEGORICAL' && Number.isFinite(value)) this.#sample.add(value);
    if (this.declared !== 'NUMERICAL') for (const text of textsOf(value)) this.#counts.add(text);
  }

  finish(name: string): AttributeCode {
    if (this.#vectors) return this.#vectors.codeOf(name);
    const inferred = this.#numbersOnly ? 'NUMERICAL' : 'CATEGORICAL';
    const kind = typeof this.declared === 'string' ? this.declared : inferred;
    if (kind === 'TEXT') return { name, kind, values: this.#counts.frequent(maxWordShare * this.bearers) };
    return kind === 'NUMERICAL'
      ? { name, kind, edges: edgesOf(this.#sample.kept) }
      : { name, kind, values: this.#counts.frequent() };
  }
}

/**
 * Counts values, exactly for up to `maxCounted` different ones. Beyond that, by Misra and Gries: whenever there are too
 * many, all counts are lowered by the median and values left with nothing are dropped. A count is then too low by at
 * most 2 / maxCounted of all values seen, so frequent values stay.
 */
class ValueCounts {
  readonly #counts = new Map<string, number>();

  add(value: string): void {
    if (value.length > longestValue) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#counts.size > maxCounted) this.#thin();
  }

  #thin(): void {
    const sorted = Float64Array.from(this.#counts.values()).sort();
    const median = sorted[sorted.length >> 1]!;
    for (const [value, count] of this.#counts)
      if (count <= median) this.#counts.delete(value);
      else this.#counts.set(value, count - median);
  }

  frequent(maxCount = Infinity): string[] {
    return [...this.#counts]
      .filter(([, count]) => count >= fewestBearers && count <= maxCount)
      .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
      .slice(0, maxValues)
      .map(([value]) => value);
  }
}

/** The lower edge of each bin of equal counts, except the first. */
function edgesOf(sample: readonly number[]): number[] {
  const numbers = Float64Array.from(sample).sort();
  const edges = new Set<number>();
  for (let bin = 1; bin < numericalBins; bin++) {
    const edge = numbers[Math.floor((bin * numbers.length) / numericalBins)];
    // The first bin begins with the smallest value and needs no edge.
    if (edge !== undefined && edge > numbers[0]!) edges.add(edge);
  }
  return [...edges];
}

/** Enough for a few hundred areas, in at most 4 MB. */
const sampledVectors = 4096;

/** A sample of an attribute's vectors, from which its areas are learned. Values of another length are left out. */
class VectorSample {
  readonly #length: number;
  readonly #sample = new Reservoir<Int8Array>(sampledVectors);

  constructor(length: number) {
    this.#length = length;
  }

  add(value: unknown): void {
    const packed = packVector(value, this.#length);
    if (packed) this.#sample.add(packed);
  }

  codeOf(name: string): VectorCode {
    const { kept } = this.#sample;
    const vectors = new Int8Array(kept.length * this.#length);
    for (const [place, vector] of kept.entries()) vectors.set(vector, place * this.#length);
    return { name, kind: 'VECTOR', length: this.#length, areas: learnAreas(vectors, this.#length) };
  }
}
