import { type Attributes, formatValue } from './describe-item.ts';

const maxShown = 3;

/** A few attributes of a user in one line. */
export function describeUser(attributes: Attributes): string {
  return Object.values(attributes)
    .filter((value) => value !== null)
    .slice(0, maxShown)
    .map((value) => formatValue(value))
    .join(' · ');
}
