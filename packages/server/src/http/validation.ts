import { limits, nullableFields } from '@tastegraph/contract';
import type { ErrorObject } from 'ajv';
import { nearestName } from '../kernel/lib/nearest-name.ts';

/** For a map whose names the caller chooses. */
export const invalidName = `has a name that contains control characters or is not 1 to ${limits.attributeNameLength} characters long`;

/** Describes a validation error in words that follow the name of the field. */
export function messageOf(error: ErrorObject): string {
  if (error.propertyName !== undefined) return invalidName;
  switch (error.keyword) {
    case 'pattern':
      return invalidText((error.params as { pattern: string }).pattern, error.parentSchema?.['examples']);
    case 'enum': {
      const { allowedValues } = error.params as { allowedValues: unknown[] };
      return `must be one of ${allowedValues.join(', ')}`;
    }
    case 'const':
      return `must be ${JSON.stringify((error.params as { allowedValue: unknown }).allowedValue)}`;
    case 'additionalProperties':
      return unknownField(error);
    case 'minimum':
    case 'maximum':
      return isShare(error) ? 'must be a number from 0 to 1' : (error.message ?? 'is not valid');
    case 'required':
      return 'is missing';
    default:
      return error.message ?? 'is not valid';
  }
}

/** No field has a longer name. Bounds the cost of the edit distance. */
const comparedLength = 50;

const knownFields = ({ parentSchema }: ErrorObject) =>
  Object.keys((parentSchema?.['properties'] ?? {}) as object);

/** The known field most similar to the unknown one. */
export function nearestField(error: ErrorObject): string | undefined {
  const { additionalProperty } = error.params as { additionalProperty: string };
  return nearestName(additionalProperty.slice(0, comparedLength), knownFields(error));
}

function unknownField(error: ErrorObject): string {
  const suggestion = nearestField(error);
  const known = knownFields(error);
  const question = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return `is not a known field${question}; the known fields are ${known.join(', ')}`;
}

/** Of a pattern that is no length, the contract has examples. Its other patterns exclude control characters and end with the allowed length, as in `{1,200}$`. */
function invalidText(pattern: string, examples: unknown): string {
  if (Array.isArray(examples)) return `must be like one of ${examples.join(', ')}`;
  const [, min = '', max = ''] = /\{(\d+),(\d+)\}\$$/.exec(pattern) ?? [];
  const length = min === '0' ? `at most ${max}` : `${min} to ${max}`;
  return `must be ${length} characters long, without control characters`;
}

function isShare({ parentSchema }: ErrorObject): boolean {
  const { minimum, maximum } = (parentSchema ?? {}) as { minimum?: number; maximum?: number };
  return minimum === 0 && maximum === 1;
}

type Fields = Record<string, unknown>;

/** Query strings contain only text. Converts, in place, integers that are written with digits alone, unlike `1e3`, ` 5` and `Infinity`. */
export function compileCoercion(schema: object): (query: unknown) => void {
  const { properties = {} } = schema as { properties?: Record<string, { readonly type?: unknown }> };
  const integers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
  return (query) => {
    const fields = query as Fields;
    for (const name of integers) {
      const text = fields[name];
      if (typeof text === 'string' && /^\d+$/.test(text)) fields[name] = Number(text);
    }
  };
}

/** Removes, in place, the optional fields that were sent as null. */
type DropNulls = (value: unknown) => void;

/** In an optional field, null means absent. Returns undefined if the schema has no optional field at any depth. */
export function compileDropNulls(schema: unknown): DropNulls | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { properties, items, anyOf } = schema as {
    properties?: Fields;
    items?: object;
    anyOf?: readonly object[];
  };
  const variants = (anyOf ?? []).flatMap((variant) => compileDropNulls(variant) ?? []);
  if (variants.length > 0)
    return (value) => {
      for (const drop of variants) drop(value);
    };
  // Records of an upsert are checked one by one later, since each may fail alone.
  if (items && !('x-records' in schema)) return compileElements(items);
  return properties ? compileFields(schema, properties) : undefined;
}

function compileElements(items: object): DropNulls | undefined {
  const drop = compileDropNulls(items);
  if (!drop) return undefined;
  return (value) => {
    if (Array.isArray(value)) value.forEach(drop);
  };
}

function compileFields(schema: object, properties: Fields): DropNulls | undefined {
  const optional = nullableFields(schema);
  const nested = Object.entries(properties).flatMap(([name, field]) => {
    const drop = compileDropNulls(field);
    return drop ? [{ name, drop }] : [];
  });
  if (optional.length === 0 && nested.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Fields;
    for (const name of optional) if (fields[name] === null) Reflect.deleteProperty(fields, name);
    for (const { name, drop } of nested) if (Object.hasOwn(fields, name)) drop(fields[name]);
  };
}
