import { charactersPerStep, searchesPerStep } from '../filter/bounds.ts';
import type { Filter } from '../filter/compile-filter.ts';

/** Fixed steps per item, as of a filter. */
const itemSteps = 3;

export interface TextFilter extends Filter {
  /** Whether the ID or one of the attributes begins with the text. */
  startsWith(attributes: Readonly<Record<string, unknown>>, itemId: string): boolean;
}

/** Matches items that contain every word of the text, in their ID or in one of the attributes. Undefined without a word. */
export function compileText(text: string, names: readonly string[]): TextFilter | undefined {
  const plain = text.trim().toLowerCase();
  const words = plain.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return undefined;
  const textsOf = (attributes: Readonly<Record<string, unknown>>, itemId = '') => [
    itemId.toLowerCase(),
    ...names.flatMap((name) => (Object.hasOwn(attributes, name) ? lowerCase(attributes[name]) : [])),
  ];
  return {
    // The key of its matches. No filter contains a control character outside a string, or begins with one.
    text: `\u0000${JSON.stringify([plain, names])}`,
    patterns: 0,
    attributes: names,
    matches(attributes, itemId, budget) {
      const texts = textsOf(attributes, itemId);
      const length = texts.reduce((sum, one) => sum + one.length, 0);
      budget?.spend(itemSteps + length / charactersPerStep + (length * plain.length) / searchesPerStep);
      return words.every((word) => texts.some((one) => one.includes(word)));
    },
    startsWith: (attributes, itemId) => textsOf(attributes, itemId).some((one) => one.startsWith(plain)),
  };
}

function lowerCase(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => (typeof one === 'string' ? one.toLowerCase() : []));
}
