import { Fault } from '../../domain/fault.ts';
import { countCharacters } from './characters.ts';
import type { Kind, Part, Scope } from './part.ts';

/** As much of the caller's own words as a message repeats. */
const quoteLength = 40;

/** The fault of a filter that cannot be used: where, why, and what to write instead. */
export function refusal(text: string, position: number, message: string, cause?: unknown): Fault {
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = countCharacters(before.slice(before.lastIndexOf('\n') + 1)) + 1;
  const placed = `line ${line}, column ${column}: ${message}`;
  return new Fault('INVALID_REQUEST', `filter_query cannot be used: ${placed}`, {
    errors: [{ path: 'filter_query', message: placed }],
    cause,
  });
}

export function quote(words: string): string {
  return JSON.stringify(words.length > quoteLength ? `${words.slice(0, quoteLength)}…` : words);
}

const named: Record<Kind, string> = {
  boolean: 'true or false',
  number: 'a number',
  string: 'a text',
  list: 'a list',
  any: 'anything',
};

/** Refuses a part that can never be of any of these kinds. */
export function expectKind(
  scope: Scope,
  node: { readonly start: number },
  part: Part,
  { kinds, by, hint = '' }: { kinds: readonly Kind[]; by: string; hint?: string },
): void {
  if (part.kind === 'any' || kinds.includes(part.kind)) return;
  const wanted = kinds.map((kind) => named[kind]).join(' or ');
  throw refusal(
    scope.text,
    node.start,
    `${by} takes ${wanted}, and this is ${named[part.kind]}.${hint && ` ${hint}`}`,
  );
}

/** Refuses two parts that can never be of one kind. */
export function expectAlike(
  scope: Scope,
  node: { readonly start: number },
  [left, right]: readonly [Part, Part],
  by: string,
): void {
  if (left.kind === right.kind || left.kind === 'any' || right.kind === 'any') return;
  throw refusal(
    scope.text,
    node.start,
    `${by} takes two of a kind, and these are ${named[left.kind]} and ${named[right.kind]}.`,
  );
}
