import { nullableFields } from '@tastegraph/contract';

type Fields = Record<string, unknown>;
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
  return (
    drop &&
    ((value) => {
      if (Array.isArray(value)) value.forEach(drop);
    })
  );
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
