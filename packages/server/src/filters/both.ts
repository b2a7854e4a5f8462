import type { Filter } from './compile-filter.ts';

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
