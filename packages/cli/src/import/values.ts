/** How a column's cells become values. */
export const valueKinds = ['text', 'number', 'boolean', 'list', 's', 'ms', 'us', 'ns', 'iso'] as const;
export type ValueKind = (typeof valueKinds)[number] | 'as is';

export const timeKinds: ReadonlySet<ValueKind> = new Set(['s', 'ms', 'us', 'ns', 'iso']);

export const kindNames: Readonly<Record<ValueKind, string>> = {
  text: 'text',
  number: 'number',
  boolean: 'true or false',
  list: 'list, split at |',
  s: 'time in seconds',
  ms: 'time in milliseconds',
  us: 'time in microseconds',
  ns: 'time in nanoseconds',
  iso: 'date and time',
  'as is': 'as it is',
};

/** What cannot be what it should stays as it is: the service refuses it, and says why in its own words. */
export function convert(cell: unknown, kind: ValueKind): unknown {
  if (cell === '' || cell === null || cell === undefined) return undefined;
  if (timeKinds.has(kind)) return toTs(cell, kind) ?? cell;
  if (typeof cell !== 'string') return cell instanceof Date ? cell.toISOString() : cell;
  if (kind === 'number') return isNumber(cell) ? Number(cell) : cell;
  if (kind === 'boolean') return booleans.get(cell.toLowerCase()) ?? cell;
  return kind === 'list' ? cell.split('|') : cell;
}

/** Numbers that are ids come as numbers from NDJSON and Parquet. */
export function toId(cell: unknown): unknown {
  return typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : convert(cell, 'text');
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const toMs: Readonly<Partial<Record<ValueKind, number>>> = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };

function toTs(cell: unknown, kind: ValueKind): number | undefined {
  if (cell instanceof Date) return cell.getTime();
  const factor = toMs[kind];
  if (factor === undefined) return typeof cell === 'string' ? parseDate(cell) : undefined;
  const number = typeof cell === 'number' ? cell : typeof cell === 'string' ? numberOf(cell) : undefined;
  return number === undefined ? undefined : Math.floor(number * factor);
}

function numberOf(text: string): number | undefined {
  return isNumber(text) ? Number(text) : undefined;
}

/** Leading zeros are of codes, not of numbers: a postcode must not lose them. */
const numberPattern = /^[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
export function isNumber(text: string): boolean {
  return numberPattern.test(text);
}

const datePattern =
  /^(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[-+]\d\d:?(?:\d\d)?)?$/i;

/** By hand: JavaScript's own parser takes a time without a zone for local, and the same file must mean the same everywhere. */
export function parseDate(text: string): number | undefined {
  const parts = datePattern.exec(text.trim());
  if (!parts) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = 'Z'] = parts;
  const utc = Date.UTC(+(year ?? 0), +(month ?? 0) - 1, +(day ?? 0), +hour, +minute, +second);
  // 2024-02-31 would become 2 March.
  if (new Date(utc).getUTCDate() !== +(day ?? 0) || +(month ?? 0) > 12 || +hour > 23) return undefined;
  return utc + Math.floor(Number(`0.${fraction || 0}`) * 1000) - offsetMs(zone);
}

function offsetMs(zone: string): number {
  const parts = /^([-+])(\d\d):?(\d\d)?$/.exec(zone);
  if (!parts) return 0;
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
  return (parts[1] === '-' ? -minutes : minutes) * 60_000;
}
