import { bounds } from './bounds.ts';
import { buildFilter } from './build.ts';
import { parseFilter } from './parse.ts';
import { refusal } from './refuse.ts';
import type { Run } from './value.ts';

/** A `filter_query`, ready for any number of items. */
export interface Filter {
  readonly text: string;
  /** How many patterns of `matches` it keeps. */
  readonly patterns: number;
  /**
   * Whether the item is to be kept. Never throws: where the expression ends in an error for this item (an attribute
   * that is missing or of another type), or takes more steps than an item may, the item does not match.
   * `item.item_id` is the id, unless the item has an attribute of this name.
   */
  matches(attributes: Readonly<Record<string, unknown>>, itemId?: string): boolean;
}

/**
 * Parses and checks a CEL expression over `item`, within milliseconds whatever the text. The library reads it; what
 * it says of an item is evaluated here, in a number of steps that is bounded. Throws a fault that says where it is
 * wrong and what to write instead.
 */
export function compileFilter(text: string): Filter {
  const root = parseFilter(text);
  const { part, patterns } = buildFilter(text, root);
  if (part.kind !== 'boolean' && part.kind !== 'any') {
    throw refusal(text, root.start, 'a filter has to come to true or false: compare it, as item.price < 20.');
  }
  const { evaluate } = part;
  // One for all items: evaluating neither waits nor calls back.
  const run: Run = { attributes: {}, itemId: undefined, steps: 0, variables: [] };
  return {
    text,
    patterns,
    matches: (attributes, itemId) => {
      run.attributes = attributes;
      run.itemId = itemId;
      run.steps = bounds.steps;
      return evaluate(run) === true && run.steps >= 0;
    },
  };
}
