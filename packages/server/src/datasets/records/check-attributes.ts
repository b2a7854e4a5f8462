import { type AttributeKind, vectorLength } from '@tastegraph/contract';
import type { RecordFailure } from './check-record.ts';

export type AttributeSchema = Readonly<Record<string, AttributeKind>> | null;
export type Attributes = Readonly<Record<string, unknown>>;

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isText = (value: unknown) => typeof value === 'string';

/** A JSON number, with leading zeros allowed. Excludes empty, blank, hexadecimal and infinite values. */
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && decimal.test(value) && Number.isFinite(Number(value));
}

interface KindCheck {
  readonly test: (value: unknown) => boolean;
  /** `given` is what the test refused. */
  readonly expected: (given: unknown) => string;
}

const namedChecks = {
  NUMERICAL: { test: isNumeric, expected: () => 'a number' },
  CATEGORICAL: {
    test: (value) => isScalar(value) || Array.isArray(value),
    expected: () => 'a string, a number, a boolean, or an array of these',
  },
  TEXT: {
    test: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
    expected: () => 'a string or an array of strings',
  },
} satisfies Partial<Record<AttributeKind, KindCheck>>;

/** As with NUMERICAL, a text that is a number counts as one: CSV files have no others. */
function vectorCheck(length: number): KindCheck {
  return {
    test: (value) => Array.isArray(value) && value.length === length && value.every(isNumeric),
    expected: (given) => {
      const found = Array.isArray(given)
        ? given.length === length
          ? 'not all of its elements are numbers'
          : `it has ${given.length.toLocaleString('en')}`
        : 'it is not an array';
      return `an array of ${length.toLocaleString('en')} numbers; ${found}`;
    },
  };
}

function checkOf(kind: AttributeKind): KindCheck {
  if (Object.hasOwn(namedChecks, kind)) return namedChecks[kind as keyof typeof namedChecks];
  return vectorCheck(vectorLength(kind) ?? 0);
}

const kindOf = (schema: Readonly<Record<string, AttributeKind>>, name: string) =>
  Object.hasOwn(schema, name) ? schema[name] : undefined;

/** Checks the attributes of a user or item against the kinds that its dataset declares. Null counts as absent. */
export function checkAttributes(schema: AttributeSchema, attributes: Attributes): RecordFailure | undefined {
  if (schema === null) return undefined;
  for (const [name, value] of Object.entries(attributes)) {
    const kind = kindOf(schema, name);
    if (kind === undefined || value === null) continue;
    const { test, expected } = checkOf(kind);
    if (test(value)) continue;
    return {
      code: 'ATTRIBUTE_TYPE',
      message: `attribute ${JSON.stringify(name)} is ${kind} in the dataset's attribute_schema and must be ${expected(value)}`,
    };
  }
  return undefined;
}

/**
 * Converts numeric strings of NUMERICAL and VECTOR attributes to numbers. Done at write time, so that filters, trainings and responses
 * all see the number. Returns the same object if nothing changes.
 */
export function withNumbers(schema: AttributeSchema, attributes: Attributes): Attributes {
  if (schema === null) return attributes;
  const numbers = new Map<string, number | number[]>();
  for (const [name, value] of Object.entries(attributes)) {
    const kind = kindOf(schema, name);
    if (kind === undefined) continue;
    if (typeof value === 'string' && kind === 'NUMERICAL') numbers.set(name, Number(value));
    else if (Array.isArray(value) && vectorLength(kind) !== undefined && value.some(isText))
      numbers.set(name, value.map(Number));
  }
  if (numbers.size === 0) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, numbers.get(name) ?? value]),
  );
}
