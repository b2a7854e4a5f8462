/** The part of JSON Schema that this file reads. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly title?: string;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
}

/** Whether the schema gives null its own meaning, as `attribute_schema` does. */
function acceptsNull(schema: object): boolean {
  const { type, anyOf, enum: values, const: value, allOf } = schema as Schema;
  if (anyOf) return anyOf.some(acceptsNull);
  if (type !== undefined) return type === 'null';
  return values === undefined && value === undefined && allOf === undefined;
}

/** The optional fields of an object for which null is the same as absent. */
export function nullableFields(schema: object): string[] {
  const { properties = {}, required = [] } = schema as Schema;
  return Object.entries(properties)
    .filter(([name, field]) => !required.includes(name) && !acceptsNull(field))
    .map(([name]) => name);
}

/**
 * The schema of a request as a caller sees it, in which optional fields also accept null. A named schema that responses use
 * too gets a separate name, because optional fields are never null in a response.
 */
export function withNullableFields(schema: object, responseTitles: ReadonlySet<string>): object {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
    if (!isObjectSchema(value)) return renameInput(value as Schema, copy, responseTitles);
    const properties = copy['properties'] as Record<string, Schema>;
    for (const name of nullableFields(value)) properties[name] = orNull(properties[name] ?? {});
    return renameInput(value, copy, responseTitles);
  };
  return walk(schema) as object;
}

/** The titles of all named schemas inside a schema. */
export function titlesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap(titlesIn);
  const { title } = schema as Schema;
  return typeof title === 'string' ? [title, ...inner] : inner;
}

function isObjectSchema(value: object): value is Schema {
  return (value as Schema).type === 'object' && typeof (value as Schema).properties === 'object';
}

function orNull(schema: Schema): Schema {
  const { description, default: preset, ...rest } = schema;
  const inner = typeof schema.title === 'string' ? schema : rest;
  // Some client generators reject an object or array as the default of a union.
  const isPlain = preset !== undefined && (typeof preset !== 'object' || preset === null);
  return {
    anyOf: [inner, { type: 'null' }],
    ...(description !== undefined && { description }),
    ...(isPlain && { default: preset }),
  };
}

function renameInput(original: Schema, copy: Schema, responseTitles: ReadonlySet<string>): Schema {
  const { title } = original;
  if (typeof title !== 'string' || !responseTitles.has(title)) return copy;
  return JSON.stringify(original) === JSON.stringify(copy) ? copy : { ...copy, title: `${title}Input` };
}
