import { type Attributes, formatValue } from './describe-item.ts';

const maxShown = 3;

/** A few attributes of a user in one line, in the same order for every user. */
export function describeUser(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, maxShown)
    .map(([name, value]) => `${name} ${formatValue(value)}`)
    .join(' · ');
}
