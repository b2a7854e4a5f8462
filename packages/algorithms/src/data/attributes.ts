import { type Areas, areaFinder, countAreas } from '../vectors/areas.ts';
import { packVector } from '../vectors/pack.ts';
import { type Incidence, IncidenceBuilder } from './incidence.ts';

/** How one attribute's values become tokens. Plain data, stored with the model to encode users after the training. */
export type AttributeCode =
  | {
      readonly name: string;
      readonly kind: 'NUMERICAL' /** The lower edge of each bin except the first. */;
      readonly edges: readonly number[];
    }
  | { readonly name: string; readonly kind: 'CATEGORICAL'; readonly values: readonly string[] }
  | { readonly name: string; readonly kind: 'TEXT'; readonly values: readonly string[] }
  | VectorCode;

export interface VectorCode {
  readonly name: string;
  readonly kind: 'VECTOR';
  /** How many numbers a vector has. */
  readonly length: number;
  readonly areas: Areas;
}

export type Scalar = string | number | boolean;
export type AttributeValue = Scalar | readonly Scalar[] | null | undefined;
export type AttributeRecord = Readonly<Record<string, AttributeValue>>;

/** Reads own properties only: an attribute may have the name of something every object inherits, such as `constructor`. */
export const valueOf = (record: AttributeRecord, name: string) =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The values of a categorical attribute, without duplicates. */
export function textsOf(value: AttributeValue): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? [...new Set(value.map(String))] : [String(value)];
}

/** Of a text, only the beginning is read. */
const maxTextLength = 10_000;
const maxWords = 256;
const word = /[\p{L}\p{N}]{2,64}/gu;

/** The words of a text in lower case, each once. */
export function wordsOf(value: AttributeValue): readonly string[] {
  const words = new Set<string>();
  for (const text of textsOf(value))
    for (const [one] of text.slice(0, maxTextLength).toLowerCase().matchAll(word)) {
      if (words.size === maxWords) return [...words];
      words.add(one);
    }
  return [...words];
}

/** The total number of tokens of all codes. */
export const countTokens = (codes: readonly AttributeCode[]) =>
  codes.reduce((sum, code) => sum + width(code), 0);

function width(code: AttributeCode): number {
  if (code.kind === 'NUMERICAL') return code.edges.length + 1;
  return code.kind === 'VECTOR' ? countAreas(code.areas) : code.values.length;
}

/** Encodes records one by one; lookup tables are built once. */
export function encoder(codes: readonly AttributeCode[]): (record: AttributeRecord) => number[] {
  let next = 0;
  const parts = codes.map((code) => {
    const first = next;
    next += width(code);
    return { name: code.name, first, encode: valueEncoder(code) };
  });
  return (record) =>
    parts.flatMap(({ name, first, encode }) => encode(valueOf(record, name)).map((token) => first + token));
}

function valueEncoder(code: AttributeCode): (value: AttributeValue) => readonly number[] {
  if (code.kind === 'NUMERICAL')
    return (value) =>
      typeof value === 'number' && Number.isFinite(value)
        ? [code.edges.filter((edge) => value >= edge).length]
        : [];
  if (code.kind === 'VECTOR') {
    const areasOf = areaFinder(code.areas, code.length);
    return (value) => {
      const packed = packVector(value, code.length);
      return packed ? areasOf(packed) : [];
    };
  }
  const places = new Map(code.values.map((value, place) => [value, place]));
  const partsOf = code.kind === 'TEXT' ? wordsOf : textsOf;
  return (value) =>
    partsOf(value)
      .map((text) => places.get(text))
      .filter((place) => place !== undefined);
}

/** The tokens of many records, one row per record; a record may be missing. */
export function encodeAll(
  codes: readonly AttributeCode[],
  records: readonly (AttributeRecord | undefined)[],
): Incidence {
  const encode = encoder(codes);
  const rows = new IncidenceBuilder();
  for (const record of records) rows.push(record ? encode(record) : []);
  return rows.build(countTokens(codes));
}
