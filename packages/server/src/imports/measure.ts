import { limits } from '@tastegraph/contract';

/** A record's attributes, within its cell, within its row. */
const maxDepth = limits.attributeDepth + 2;

/** How many bytes a row takes as JSON, about; infinitely many if it is nested deeper than a record may be. */
export function measure(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > maxDepth) return Number.POSITIVE_INFINITY;
  let bytes = 2;
  if (Array.isArray(value)) for (const element of value) bytes += measure(element, depth + 1);
  else
    for (const [name, element] of Object.entries(value)) bytes += name.length + measure(element, depth + 1);
  return bytes;
}
