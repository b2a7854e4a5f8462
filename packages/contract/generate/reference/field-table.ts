import { describe, type Schema } from '../../src/schema.ts';

/** Builds a table of an object's fields. Unnamed objects are shown inline; named types are linked. */
export function fieldTable(schema: Schema, isExtension: (path: string) => boolean): string {
  const rows = fieldRows(schema, '', isExtension);
  if (rows.length === 0) return '';
  return ['| field | type | required | limits | description |', '|---|---|---|---|---|', ...rows].join('\n');
}

function fieldRows(schema: Schema, prefix: string, isExtension: (path: string) => boolean): string[] {
  const { properties = {}, required = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const need = required.includes(name) ? 'required' : defaultOf(field);
    const mark = isExtension(path) ? '*Extension.* ' : '';
    const text = mark + describe(field);
    const row = `| \`${path}\` | ${typeOf(field)} | ${need} | ${limitsOf(field)} | ${text.replaceAll('|', '\\|')} |`;
    return [row, ...innerRows(field, path, isExtension)];
  });
  return [...own, ...(schema.allOf ?? []).flatMap((part) => fieldRows(part, prefix, isExtension))];
}

function innerRows(field: Schema, path: string, isExtension: (path: string) => boolean): string[] {
  if (field.title !== undefined) return [];
  const rows = field.properties ? fieldRows(field, `${path}.`, isExtension) : [];
  if (field.items) rows.push(...innerRows(field.items, `${path}[]`, isExtension));
  for (const part of field.anyOf ?? []) rows.push(...innerRows(part, path, isExtension));
  return rows;
}

function defaultOf({ default: value }: Schema): string {
  return value === undefined ? 'optional' : `default \`${JSON.stringify(value)}\``;
}

export function typeOf(schema: Schema): string {
  if (schema.title !== undefined) return `[${schema.title}](#${schema.title.toLowerCase()})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.items) return `array of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map to ${typeOf(schema.additionalProperties)}`;
  return schema.type ?? 'any';
}

/** The limits of a value, in words. */
export function limitsOf(schema: Schema): string {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength, maxProperties, pattern } = schema;
  const [, least, most] = /\{(\d+),(\d+)\}\$$/.exec(pattern ?? '') ?? [];
  const found = [
    between(minimum, maximum, ''),
    between(minItems, maxItems, ' elements'),
    between(minLength, maxLength, ' characters'),
    most === undefined ? '' : between(Number(least) || undefined, Number(most), ' characters'),
    between(undefined, maxProperties, ' names'),
    ...(schema.anyOf ?? []).filter(({ title }) => title === undefined).map(limitsOf),
  ];
  return [...new Set(found.filter((text) => text !== ''))].join('; ');
}

function between(low: number | undefined, high: number | undefined, unit: string): string {
  const shown = (value: number) => value.toLocaleString('en');
  if (low !== undefined && high !== undefined) return `${shown(low)} to ${shown(high)}${unit}`;
  if (low !== undefined) return `at least ${shown(low)}${unit}`;
  return high === undefined ? '' : `at most ${shown(high)}${unit}`;
}
