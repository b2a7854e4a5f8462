import { limits } from '@tastegraph/contract';
import { findUnstorable } from '../../datasets/records/check-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Leaves room for the other fields of the event: its longest IDs have 1,112 characters of up to 4 bytes. */
const maxBytes = limits.eventBytes - 6 * 1024;

/** The properties as attributes of an event. Undefined if they cannot be stored: the event counts without them. */
export function fittingAttributes(
  properties: Fields,
  omitted: ReadonlySet<string>,
  more: Fields,
): Fields | undefined {
  const kept = Object.entries({ ...more, ...properties }).filter(([name]) => !omitted.has(name));
  const attributes = Object.fromEntries(kept);
  if (kept.length === 0 || findUnstorable(attributes, 0) !== undefined) return undefined;
  return Buffer.byteLength(JSON.stringify(attributes)) > maxBytes ? undefined : attributes;
}

/** The traits that can be attributes of a user. Others, such as an address, are objects. */
export function fittingTraits(traits: Fields): Fields {
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => isAttribute(value)));
}

const isAttribute = (value: unknown) =>
  Array.isArray(value)
    ? value.every((element) => typeof element !== 'object')
    : value === null || typeof value !== 'object';
