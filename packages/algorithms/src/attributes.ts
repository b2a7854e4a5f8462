import type { Incidence } from './g1/matrix.ts';
import { IncidenceBuilder } from './incidence-builder.ts';

/** How one attribute's values become tokens. Plain data: it is kept with the model, for users to come. */
export type AttributeCode =
  | {
      readonly name: string;
      readonly kind: 'NUMERICAL' /** Where each bin but the first begins. */;
      readonly edges: readonly number[];
    }
  | { readonly name: string; readonly kind: 'CATEGORICAL'; readonly values: readonly string[] };

export type Scalar = string | number | boolean;
export type AttributeValue = Scalar | readonly Scalar[] | null | undefined;
export type AttributeRecord = Readonly<Record<string, AttributeValue>>;

/** A record's own value: an attribute may be called as something that every object inherits. */
export const valueOf = (record: AttributeRecord, name: string) =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The values of a categorical attribute, each once. */
export function textsOf(value: AttributeValue): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? [...new Set(value.map(String))] : [String(value)];
}

/** How many tokens the codes have together. */
export const countTokens = (codes: readonly AttributeCode[]) =>
  codes.reduce((sum, code) => sum + width(code), 0);

const width = (code: AttributeCode) =>
  code.kind === 'NUMERICAL' ? code.edges.length + 1 : code.values.length;

/** Encodes records, one after the other, with one table of values for all of them. */
export function encoder(codes: readonly AttributeCode[]): (record: AttributeRecord) => number[] {
  let next = 0;
  const parts = codes.map((code) => {
    const first = next;
    next += width(code);
    const places =
      code.kind === 'CATEGORICAL' ? new Map(code.values.map((value, place) => [value, place])) : undefined;
    return { code, first, places };
  });
  return (record) =>
    parts.flatMap(({ code, first, places }) => {
      const value = valueOf(record, code.name);
      if (code.kind === 'NUMERICAL') {
        if (typeof value !== 'number' || !Number.isFinite(value)) return [];
        return [first + code.edges.filter((edge) => value >= edge).length];
      }
      return textsOf(value)
        .map((text) => places?.get(text))
        .filter((place) => place !== undefined)
        .map((place) => first + place);
    });
}

/** The tokens of many records, a row each; a record may be missing. */
export function encodeAll(
  codes: readonly AttributeCode[],
  records: readonly (AttributeRecord | undefined)[],
): Incidence {
  const encode = encoder(codes);
  const rows = new IncidenceBuilder();
  for (const record of records) rows.push(record ? encode(record) : []);
  return rows.build(countTokens(codes));
}
