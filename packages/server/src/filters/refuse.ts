import { ApiError } from '../http/api-error.ts';
import type { Kind, Part, Scope } from './part.ts';

/** The most characters of the caller's text that a message repeats. */
const quoteLength = 40;

/** The ApiError for an invalid filter: where, why, and what to write instead. */
export function refusal(text: string, position: number, message: string, cause?: unknown): ApiError {
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = countCharacters(before.slice(before.lastIndexOf('\n') + 1)) + 1;
  const located = `line ${line}, column ${column}: ${message}`;
  return new ApiError('INVALID_REQUEST', `filter_query is not valid: ${located}`, {
    errors: [{ path: 'filter_query', message: located }],
    cause,
  });
}

export function quote(words: string): string {
  return JSON.stringify(words.length > quoteLength ? `${words.slice(0, quoteLength)}…` : words);
}

const kindNames: Record<Kind, string> = {
  boolean: 'a boolean',
  number: 'a number',
  string: 'a string',
  list: 'a list',
  any: 'anything',
};

/** Throws if the part can never have one of these kinds. */
export function expectKind(
  scope: Scope,
  node: { readonly start: number },
  part: Part,
  { kinds, by, hint = '' }: { kinds: readonly Kind[]; by: string; hint?: string },
): void {
  if (part.kind === 'any' || kinds.includes(part.kind)) return;
  const expected = kinds.map((kind) => kindNames[kind]).join(' or ');
  throw refusal(
    scope.text,
    node.start,
    `${by} expects ${expected}, not ${kindNames[part.kind]}.${hint && ` ${hint}`}`,
  );
}

/** Throws if the two parts can never have the same kind. */
export function expectSameKind(
  scope: Scope,
  node: { readonly start: number },
  [left, right]: readonly [Part, Part],
  by: string,
): void {
  if (left.kind === right.kind || left.kind === 'any' || right.kind === 'any') return;
  throw refusal(
    scope.text,
    node.start,
    `${by} expects two values of the same type, not ${kindNames[left.kind]} and ${kindNames[right.kind]}.`,
  );
}

/** The number of code points, which CEL, JSON Schema and editors call characters. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let unit = 0; unit < text.length; count++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return count;
}
