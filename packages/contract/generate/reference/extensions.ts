import { operations } from '../../src/concepts/index.ts';
import { type OperationName, operationNames } from '../../src/endpoints.ts';
import { published } from '../../src/published.ts';
import { fieldPaths, type Schema } from '../../src/schema.ts';

export type Side = 'request' | 'response';

/** The fields that we added to a published operation, without the fields inside them. */
export function extensionFields(name: OperationName, side: Side): string[] {
  const known = published[name];
  if (!known) return [];
  const beyond = fieldPaths(operations[name][side] as Schema).filter(
    (path) => !isPublished(known[side], path),
  );
  return beyond.filter((path) => !beyond.some((outer) => path !== outer && isInside(path, outer)));
}

/** Fields inside a published field whose content the contract leaves open are not extensions. */
function isPublished(fields: readonly string[], path: string): boolean {
  return fields.includes(path) || openFields.some((open) => isInside(path, open) && fields.includes(open));
}

const isInside = (path: string, outer: string) =>
  ['.', '[', '{'].some((separator) => path.startsWith(outer + separator));

/** The contract leaves the parameters to the service: "An empty object lets the service choose all parameters". */
const openFields = ['algorithm_parameters', 'job_data.algorithm_parameters', 'models[].algorithm_parameters'];

/** For each named type, the fields that any published operation has. */
export function publishedFieldsOfTypes(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const name of operationNames)
    for (const side of ['request', 'response'] as const) {
      const fields = published[name]?.[side] ?? [];
      visit(operations[name][side] as Schema, '', (title, field, path) => {
        const set = found.get(title) ?? new Set();
        found.set(title, set);
        if (isPublished(fields, path)) set.add(field);
      });
    }
  return found;
}

/** Calls `onField` for each field of each named type, with the type's title, the field's path in the type and its path from the root. */
function visit(
  schema: Schema,
  path: string,
  onField: (title: string, field: string, path: string) => void,
): void {
  if (schema.title !== undefined)
    for (const field of fieldPaths(schema)) onField(schema.title, field, joinPath(path, field));
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    visit(inner, joinPath(path, name), onField);
  if (schema.items) visit(schema.items, `${path}[]`, onField);
  if (typeof schema.additionalProperties === 'object')
    visit(schema.additionalProperties, `${path}{}`, onField);
  for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) visit(part, path, onField);
}

function joinPath(path: string, field: string): string {
  const separator = path === '' || field.startsWith('[') || field.startsWith('{') ? '' : '.';
  return `${path}${separator}${field}`;
}
