import { FairCache } from '../kernel/lib/fair-cache.ts';
import { bounds } from './bounds.ts';
import { buildFilter } from './build.ts';
import { parseFilter } from './parse.ts';
import { refusal } from './refuse.ts';
import type { Run } from './value.ts';

/** A compiled `filter_query`. */
export interface Filter {
  readonly text: string;
  /** The number of `matches` patterns. */
  readonly patterns: number;
  /** The attributes that it reads; undefined if only evaluation can tell, as for `item[item.x]`. */
  readonly attributes: readonly string[] | undefined;
  /**
   * Never throws: an item does not match if the expression fails for it (an attribute is missing or has another type) or
   * takes too many steps. `item.item_id` is the ID, unless the item has such an attribute. Spends its steps from `budget`.
   */
  matches(attributes: Readonly<Record<string, unknown>>, itemId?: string, budget?: StepBudget): boolean;
}

/** Shared by the evaluations of many items. */
interface StepBudget {
  spend(steps: number): void;
}

/** Fixed steps per item, for loading it into the processor's cache. */
const itemSteps = 3;

/**
 * Compiles a CEL expression over `item`, within milliseconds for any text. A library parses it; our own evaluator has a
 * bounded number of steps. Throws an ApiError with the position of the mistake and what to write instead.
 */
export function compileFilter(text: string): Filter {
  const root = parseFilter(text);
  const { part, patterns, attributes: usedAttributes } = buildFilter(text, root);
  if (part.kind !== 'boolean' && part.kind !== 'any') {
    throw refusal(
      text,
      root.start,
      'a filter must be true or false. Compare the value with another, for example item.price < 20.',
    );
  }
  const { evaluate } = part;
  const fixedSteps = part.size + itemSteps;
  // Reused for all items: evaluation is synchronous.
  const run: Run = { attributes: {}, itemId: undefined, steps: 0, variables: [] };
  return {
    text,
    patterns,
    attributes: usedAttributes,
    matches: (attributes, itemId, budget) => {
      run.attributes = attributes;
      run.itemId = itemId;
      run.steps = bounds.steps;
      const matches = evaluate(run) === true && run.steps >= 0;
      // Work beyond the limit was not done, so it is not charged.
      budget?.spend(fixedSteps + bounds.steps - Math.max(run.steps, 0));
      return matches;
    },
  };
}

/** A filter that both must match. */
export function both(one: Filter | undefined, other: Filter): Filter {
  if (!one) return other;
  const { attributes } = one;
  return {
    text: `(${one.text}) && (${other.text})`,
    patterns: one.patterns + other.patterns,
    attributes: attributes && other.attributes && [...attributes, ...other.attributes],
    matches: (attributes, itemId, budget) =>
      one.matches(attributes, itemId, budget) && other.matches(attributes, itemId, budget),
  };
}

/** The most cached patterns: the states of each grow to up to 8 MB while it matches texts, so all of them take up to 128 MB. */
const maxPatterns = 16;

/** A compiled filter takes about twenty bytes per character: a long one counts as several. */
const usualLength = 256;

/** By account and text: a service sends the same few again and again. Refusals are not cached: they are as fast as a lookup. */
export function createFilterCache(size: number): {
  get(accountId: string, text: string): Filter;
} {
  const patternSize = Math.ceil(size / maxPatterns);
  const filters = new FairCache<Filter>({
    maxSize: size,
    sizeOf: ({ patterns }, text) => Math.max(Math.ceil(text.length / usualLength), patterns * patternSize),
  });
  return {
    get: (accountId, text) => {
      const known = filters.get(accountId, text);
      if (known !== undefined) return known;
      const filter = compileFilter(text);
      filters.set(accountId, text, filter);
      return filter;
    },
  };
}
