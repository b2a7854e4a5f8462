import { findValue, type ItemValues, type Scalar, valuesOf } from '@tastegraph/algorithms';
import { nearestName } from '../../lib/nearest-name.ts';
import { JobError } from '../job-error.ts';

/** Values that are looked through for what was meant; an attribute with more is one whose values nobody types. */
const mostLookedThrough = 100_000;

/** Of a long value, in a message. */
const shownLength = 100;

/** The value's number; throws a JobError that says what was probably meant when no item had it. */
export function numberOfValue(values: ItemValues, attribute: string, value: Scalar): number {
  const number = findValue(values, attribute, value);
  if (number !== undefined) return number;
  const shown = typeof value === 'string' ? value.slice(0, shownLength) : value;
  const what = `${attribute} = ${JSON.stringify(shown)}`;
  throw new JobError(
    'VALUE_UNKNOWN',
    `No item had ${what} when the model was trained${hint(values, attribute, value)} Submit the job again with a value that items have.`,
  );
}

function hint(values: ItemValues, attribute: string, value: Scalar): string {
  const known = new Map<string, Scalar>();
  for (const { value: one } of valuesOf(values, attribute)) {
    if (known.size === mostLookedThrough) break;
    known.set(String(one), one);
  }
  const nearest = nearestName(String(value), known.keys());
  if (nearest === undefined) return '.';
  // With its quotes: "5" is not 5.
  return `; did you mean ${JSON.stringify(known.get(nearest))}?`;
}
