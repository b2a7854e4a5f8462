/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly title?: string;
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** The alternatives and parts of a composed schema. */
const composedOf = ({ anyOf = [], allOf = [] }: Schema): readonly Schema[] => [...anyOf, ...allOf];

/** The top-level fields of a schema, including those of its alternatives. */
export function propertiesOf(schema: Schema): readonly (readonly [string, Schema])[] {
  const own = Object.entries(schema.properties ?? {});
  return [...own, ...composedOf(schema).flatMap(propertiesOf)];
}

/** The paths of all fields at any depth, such as `queries[].conditions[].value` and `attributes{}`. */
export function fieldPaths(schema: Schema, prefix = ''): string[] {
  const paths = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...fieldPaths(inner, path)];
  });
  if (schema.items) paths.push(...fieldPaths(schema.items, `${prefix}[]`));
  if (typeof schema.additionalProperties === 'object')
    paths.push(`${prefix}{}`, ...fieldPaths(schema.additionalProperties, `${prefix}{}`));
  for (const part of composedOf(schema)) paths.push(...fieldPaths(part, prefix));
  return [...new Set(paths)];
}

/** The named types inside a schema at any depth, including the schema itself. */
export function namedTypes(schema: Schema, found = new Map<string, Schema>()): Map<string, Schema> {
  if (schema.title !== undefined) {
    if (found.has(schema.title)) return found;
    found.set(schema.title, schema);
  }
  for (const inner of Object.values(schema.properties ?? {})) namedTypes(inner, found);
  if (schema.items) namedTypes(schema.items, found);
  if (typeof schema.additionalProperties === 'object') namedTypes(schema.additionalProperties, found);
  for (const part of composedOf(schema)) namedTypes(part, found);
  return found;
}

/** The field's own description, or that of its type. */
export function describe(field: Schema): string {
  const parts = [field, ...(field.anyOf ?? []), ...(field.items ? [field.items] : [])];
  return parts.find(({ description }) => description !== undefined)?.description ?? '';
}
