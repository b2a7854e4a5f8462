import { findValues, type ItemValues, type Scalar, valuesOf } from '@tastegraph/algorithms';
import { nearestName } from '../../kernel/lib/nearest-name.ts';

/** The most values searched for a similar one; an attribute with more is not one whose values people type. */
const maxCompared = 100_000;

/** The most characters of a value in a message. */
const shownLength = 100;

/** The numbers of the values that equal this one, or, if no item had one, a message with the value that was probably meant. */
export function numbersOfValue(
  values: ItemValues,
  attribute: string,
  value: Scalar,
): { readonly numbers: readonly number[] } | { readonly message: string } {
  const numbers = findValues(values, attribute, value);
  if (numbers.length > 0) return { numbers };
  const shown = typeof value === 'string' ? value.slice(0, shownLength) : value;
  const what = `${attribute} = ${JSON.stringify(shown)}`;
  return { message: `No item had ${what} when the model was trained${hint(values, attribute, value)}` };
}

function hint(values: ItemValues, attribute: string, value: Scalar): string {
  const known = new Map<string, Scalar>();
  for (const { value: one } of valuesOf(values, attribute)) {
    if (known.size === maxCompared) break;
    known.set(String(one), one);
  }
  const nearest = nearestName(String(value), known.keys());
  if (nearest === undefined) return '.';
  return `; did you mean ${JSON.stringify(known.get(nearest))}?`;
}

/** The most queries listed in the job's message; the result's file has all. */
const maxNamed = 5;

/** The job's message about queries with a value that no item had; undefined if there are none. */
export function describeUnknown(messages: readonly (string | undefined)[]): string | undefined {
  const found = messages.flatMap((message, query) => (message === undefined ? [] : [{ message, query }]));
  if (found.length === 0) return undefined;
  const named = found.slice(0, maxNamed).map(({ message, query }) => `Query ${query}: ${message}`);
  const more = found.length - named.length;
  if (more > 0) named.push(`${more} more queries also have a value that no item had.`);
  return named.join(' ');
}
