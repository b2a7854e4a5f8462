import type { AttributeKind } from '@tastegraph/contract';
import type { RecordFailure } from './check-record.ts';

export type AttributeSchema = Readonly<Record<string, AttributeKind>> | null;
export type Attributes = Readonly<Record<string, unknown>>;

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** A JSON number, with leading zeros allowed. Excludes empty, blank, hexadecimal and infinite values. */
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && decimal.test(value) && Number.isFinite(Number(value));
}

const accepts: Record<AttributeKind, { test: (value: unknown) => boolean; expected: string }> = {
  NUMERICAL: { test: isNumeric, expected: 'a number' },
  CATEGORICAL: {
    test: (value) => isScalar(value) || Array.isArray(value),
    expected: 'a string, a number, a boolean, or an array of these',
  },
  TEXT: {
    test: (value) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string')),
    expected: 'a string or an array of strings',
  },
};

const kindOf = (schema: Readonly<Record<string, AttributeKind>>, name: string) =>
  Object.hasOwn(schema, name) ? schema[name] : undefined;

/** Checks the attributes of a user or item against the kinds that its dataset declares. Null counts as absent. */
export function checkAttributes(schema: AttributeSchema, attributes: Attributes): RecordFailure | undefined {
  if (schema === null) return undefined;
  for (const [name, value] of Object.entries(attributes)) {
    const kind = kindOf(schema, name);
    if (kind === undefined || value === null || accepts[kind].test(value)) continue;
    return {
      code: 'ATTRIBUTE_TYPE',
      message: `attribute ${JSON.stringify(name)} is ${kind} in the dataset's attribute_schema and must be ${accepts[kind].expected}`,
    };
  }
  return undefined;
}

/**
 * Converts numeric strings of NUMERICAL attributes to numbers. Done at write time, so that filters, trainings and responses
 * all see the number. Returns the same object if nothing changes.
 */
export function withNumbers(schema: AttributeSchema, attributes: Attributes): Attributes {
  if (schema === null) return attributes;
  const texts = Object.entries(attributes).filter(
    ([name, value]) => typeof value === 'string' && kindOf(schema, name) === 'NUMERICAL',
  );
  if (texts.length === 0) return attributes;
  const numbers = new Map(texts.map(([name, value]) => [name, Number(value)]));
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, numbers.get(name) ?? value]),
  );
}
