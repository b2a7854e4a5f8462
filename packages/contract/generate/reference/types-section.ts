import { namedTypes, type Schema } from '../../src/schema.ts';
import { publishedFieldsOfTypes } from './extensions.ts';
import { fieldTable, limitsOf, typeOf } from './field-table.ts';

/** Describes all named types that the schemas use, sorted by name. */
export function typesSection(schemas: readonly object[]): string {
  const types = new Map<string, Schema>();
  for (const schema of schemas) namedTypes(schema, types);
  const publishedOf = publishedFieldsOfTypes();
  return [...types]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, type]) => typeSection(title, type, publishedOf.get(title)))
    .join('\n\n');
}

/** Fields of a type that is an extension as a whole are not marked. */
function typeSection(title: string, type: Schema, publishedFields: ReadonlySet<string> = new Set()): string {
  const isExtension = (path: string) => publishedFields.size > 0 && !publishedFields.has(path);
  const unnamed = withoutTitle(type);
  const table = fieldTable(unnamed, isExtension);
  const parts = [`### ${title}`, type.description ?? '', table];
  if (table === '') {
    const limits = limitsOf(unnamed);
    parts.push(`${capitalize(typeOf(unnamed))}${limits === '' ? '' : `, ${limits}`}.`);
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Without its title, the type is shown in full instead of as a link to itself. */
function withoutTitle(type: Schema): Schema {
  const copy: Schema & { title?: string } = { ...type };
  delete copy.title;
  return copy;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
