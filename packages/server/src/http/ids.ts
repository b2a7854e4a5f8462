import { type IdKind, idPrefixes } from '@tastegraph/contract';
import { typeidUnboxed } from 'typeid-js';

/** IDs sort by creation time. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(idPrefixes[kind]);
}

export const isIdOf = (kind: IdKind, id: string): boolean => id.startsWith(`${idPrefixes[kind]}_`);

const digits = '0123456789abcdefghjkmnpqrstvwxyz';
/** The first 48 bits of a UUIDv7 are its time: exactly this many digits of five bits, of which the first has three. */
const timeDigits = 10;

/** When an ID was created, in milliseconds. NaN if the text is not an ID. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  let ts = 0;
  for (let at = start; at < start + timeDigits; at++) {
    const value = digits.indexOf(id[at] ?? ' ');
    if (value < 0) return Number.NaN;
    ts = ts * digits.length + value;
  }
  return ts;
}
