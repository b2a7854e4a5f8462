import { limits } from '@tastegraph/contract';

const lastCodePoint = 0x10_ff_ff;
const firstSurrogate = 0xd8_00;
const lastSurrogate = 0xdf_ff;

/** Greater than every ID. */
const endOfIds = String.fromCodePoint(lastCodePoint).repeat(limits.developerIdLength + 1);

/**
 * The smallest text that is greater than every ID with the prefix, in byte order of UTF-8, which is the order of code
 * points. A range of IDs needs no escaping, unlike LIKE, and PostgreSQL finds it by primary key.
 */
export function endOfPrefix(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point !== lastCodePoint);
  const point = points[last];
  if (point === undefined) return endOfIds;
  const next = point + 1 === firstSurrogate ? lastSurrogate + 1 : point + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
}
