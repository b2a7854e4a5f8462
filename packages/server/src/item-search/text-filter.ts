import { charactersPerStep, searchesPerStep } from '../filters/bounds.ts';
import type { Filter } from '../filters/compile-filter.ts';

/** Fixed steps per item, as of a filter. */
const itemSteps = 3;

type Attributes = Readonly<Record<string, unknown>>;

export interface TextFilter extends Filter {
  /** Whether the ID or one of the attributes begins with the text. */
  startsWith(attributes: Attributes, itemId: string): boolean;
}

/** Matches items that contain every word of the text, in their ID or in one of the attributes. Undefined without a word. */
export function compileText(text: string, names: readonly string[]): TextFilter | undefined {
  const plain = text.trim().toLowerCase();
  const words = plain.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return undefined;
  return {
    // The key of its matches. No filter contains a control character outside a string, or begins with one.
    text: `\u0000${JSON.stringify([plain, names])}`,
    patterns: 0,
    attributes: names,
    matches(attributes, itemId = '', budget) {
      const searched = searchedText(attributes, itemId, names);
      const { length } = searched;
      budget?.spend(itemSteps + length / charactersPerStep + (length * plain.length) / searchesPerStep);
      for (const word of words) if (!searched.includes(word)) return false;
      return true;
    },
    startsWith: (attributes, itemId) =>
      `${separator}${searchedText(attributes, itemId, names)}`.includes(separator + plain),
  };
}

/** Between texts. It is in no word: words are separated by white space. */
const separator = '\n';

/** The ID and the attributes in lower case, as one text: it is a third of the work of searching each. */
function searchedText(attributes: Attributes, itemId: string, names: readonly string[]): string {
  let searched = itemId;
  for (const name of names) {
    if (!Object.hasOwn(attributes, name)) continue;
    const value = attributes[name];
    if (typeof value === 'string') searched += separator + value;
    else if (Array.isArray(value))
      for (const one of value as readonly unknown[]) if (typeof one === 'string') searched += separator + one;
  }
  return searched.toLowerCase();
}
