/** A time in ISO 8601, in milliseconds. `Date.parse` alone would accept more, such as "1". */
export function parseTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T|$)/.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
