import type { Incidence } from './g1/matrix.ts';

/** How one attribute's values become tokens. Plain data: it is kept with the model, for users to come. */
export type AttributeCode =
  | {
      readonly name: string;
      readonly kind: 'NUMERICAL' /** Where each bin but the first begins. */;
      readonly edges: readonly number[];
    }
  | { readonly name: string; readonly kind: 'CATEGORICAL'; readonly values: readonly string[] };

export type AttributeValue = string | number | boolean | readonly string[] | null | undefined;
export type AttributeRecord = Readonly<Record<string, AttributeValue>>;

/** Bins of equal counts: what a number means is left to the regression, of which it need not be a straight line. */
const numericalBins = 8;
/** A value borne by fewer says nothing that could be told from chance; a name or an address is such a value. */
const fewestBearers = 5;
/** The most frequent values of an attribute: beyond, it is an identifier rather than a property. */
const mostValues = 1000;

/** Learns the codes from the records of a training. Attributes of other kinds are left out by the caller. */
export function learnCodes(
  attributes: readonly { name: string; kind: AttributeCode['kind'] }[],
  records: readonly AttributeRecord[],
): AttributeCode[] {
  return attributes.map(({ name, kind }) =>
    kind === 'NUMERICAL'
      ? { name, kind, edges: quantiles(records, name) }
      : { name, kind, values: frequent(records, name) },
  );
}

function quantiles(records: readonly AttributeRecord[], name: string): number[] {
  const numbers = Float64Array.from(
    records
      .map((record) => record[name])
      .filter((value) => typeof value === 'number' && Number.isFinite(value)),
  ).sort();
  const edges = new Set<number>();
  for (let bin = 1; bin < numericalBins; bin++) {
    const edge = numbers[Math.floor((bin * numbers.length) / numericalBins)];
    // The smallest value begins the first bin by itself.
    if (edge !== undefined && edge > numbers[0]!) edges.add(edge);
  }
  return [...edges];
}

function frequent(records: readonly AttributeRecord[], name: string): string[] {
  const counts = new Map<string, number>();
  for (const record of records)
    for (const value of textsOf(record[name])) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= fewestBearers)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, mostValues)
    .map(([value]) => value);
}

function textsOf(value: AttributeValue): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? [...new Set(value)] : [String(value)];
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
      const value = record[code.name];
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
  const offsets = new Uint32Array(records.length + 1);
  const column: number[] = [];
  for (const [row, record] of records.entries()) {
    if (record) for (const token of encode(record)) column.push(token);
    offsets[row + 1] = column.length;
  }
  return { rows: records.length, columns: countTokens(codes), offsets, column: Uint32Array.from(column) };
}
