import type { Attributes } from '../../items/describe-item.ts';

/** How an attribute's value is written in a form. */
export const valueKinds = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  list: 'List of texts',
  json: 'JSON',
} as const;

type ValueKind = keyof typeof valueKinds;

export interface AttributeDraft {
  readonly name: string;
  readonly kind: ValueKind;
  readonly text: string;
}

type Value = Attributes[string];

/** The attributes of a record as a form shows them, by name. */
export const draftsOf = (attributes: Attributes): AttributeDraft[] =>
  Object.keys(attributes)
    .toSorted()
    .map((name) => draftOf(name, attributes[name] as Value));

function draftOf(name: string, value: Value): AttributeDraft {
  if (typeof value === 'string') return { name, kind: 'text', text: value };
  if (typeof value === 'number') return { name, kind: 'number', text: String(value) };
  if (typeof value === 'boolean') return { name, kind: 'boolean', text: String(value) };
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && isPlain(one));
  return isList
    ? { name, kind: 'list', text: value.join(', ') }
    : { name, kind: 'json', text: JSON.stringify(value) };
}

/** Can be told apart again in a list with commas. */
const isPlain = (text: string) => text !== '' && text === text.trim() && !text.includes(',');

/** The value, or undefined if the text is none of its kind. */
export function valueOf({ kind, text }: AttributeDraft): Value | undefined {
  if (kind === 'text') return text;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'list')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  try {
    const value = JSON.parse(text) as Value;
    return kind === 'json' || typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What to send to change the record: new and changed values, and null for attributes that were removed. */
export function changesBetween(
  before: Attributes,
  drafts: readonly AttributeDraft[],
): Record<string, Value | null> {
  const after = new Map(drafts.map((draft) => [draft.name, valueOf(draft)] as const));
  const changes: Record<string, Value | null> = {};
  for (const name of Object.keys(before)) if (!after.has(name)) changes[name] = null;
  for (const [name, value] of after)
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name])) changes[name] = value;
  return changes;
}
