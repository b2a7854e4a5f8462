import type { Attributes } from '../items/describe-item.ts';

/** What an attribute is called, what its values are, and some of them. */
export interface AttributeHint {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
  readonly values: readonly string[];
}

const maxValues = 50;

export function attributeHints(sample: readonly Attributes[]): AttributeHint[] {
  const values = new Map<string, unknown[]>();
  for (const attributes of sample)
    for (const [name, value] of Object.entries(attributes))
      if (value !== null) values.set(name, [...(values.get(name) ?? []), value]);
  return [...values].map(([name, found]) => ({
    name,
    kind: kindOf(found),
    values: [...new Set(found.flat().map(String))].slice(0, maxValues),
  }));
}

function kindOf(values: readonly unknown[]): AttributeHint['kind'] {
  if (values.some(Array.isArray)) return 'list';
  const [first] = values;
  if (typeof first === 'number') return 'number';
  return typeof first === 'boolean' ? 'boolean' : 'text';
}

/** The attributes that an expression reads and no hint has. Empty if nothing is known of the items. */
export function unknownAttributes(expression: string, hints: readonly AttributeHint[]): string[] {
  if (hints.length === 0) return [];
  const known = new Set(['item_id', ...hints.map(({ name }) => name)]);
  const read = Array.from(expression.matchAll(/\bitem\.([A-Za-z_]\w*)/g), ([, name = '']) => name);
  return [...new Set(read)].filter((name) => !known.has(name));
}

/** How the attribute is read in CEL: names that are no identifiers need brackets. */
export const attributePath = (name: string) =>
  /^[A-Za-z_]\w*$/.test(name) ? `item.${name}` : `item[${JSON.stringify(name)}]`;
