/** How the cells of a column are converted. */
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
  'as is': 'unchanged',
};

/** Returns cells that do not fit the type unchanged: the service rejects them with a reason. */
export function convert(cell: unknown, kind: ValueKind): unknown {
  if (cell === '' || cell === null || cell === undefined) return undefined;
  if (timeKinds.has(kind)) return toTs(cell, kind) ?? cell;
  if (typeof cell !== 'string') return cell instanceof Date ? cell.toISOString() : cell;
  if (kind === 'number') return isNumber(cell) ? Number(cell) : cell;
  if (kind === 'boolean') return booleans.get(cell.toLowerCase()) ?? cell;
  return kind === 'list' ? cell.split('|') : cell;
}

/** Numeric IDs are numbers in NDJSON and Parquet. */
export function toId(cell: unknown): unknown {
  return typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : convert(cell, 'text');
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** How many digits to move the decimal point to the right to get milliseconds. */
const digitsToMs: Readonly<Partial<Record<ValueKind, number>>> = { s: 3, ms: 0, us: -3, ns: -6 };

function toTs(cell: unknown, kind: ValueKind): number | undefined {
  if (cell instanceof Date) return cell.getTime();
  const digits = digitsToMs[kind];
  if (digits === undefined) return typeof cell === 'string' ? parseDate(cell) : undefined;
  if (typeof cell !== 'number' && typeof cell !== 'string') return undefined;
  const text = String(cell);
  return isNumber(text) ? (movePoint(text, digits) ?? Math.floor(Number(text) * 10 ** digits)) : undefined;
}

/** Works on digits: in floating point, 1700000000037000000 ns would lose a millisecond. Returns undefined for other notations. */
function movePoint(text: string, digits: number): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  if (digits < 0) return Number(whole.slice(0, digits));
  return Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

/** Text with a leading zero is a code, such as a postcode, and must keep the zero. */
const numberPattern = /^[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
export function isNumber(text: string): boolean {
  return numberPattern.test(text);
}

const datePattern =
  /^(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[-+]\d\d:?(?:\d\d)?)?$/i;

/** Date.parse takes a time without a zone as local time, but a file must mean the same on every machine. */
export function parseDate(text: string): number | undefined {
  const parts = datePattern.exec(text.trim());
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0));
  const [fraction = '', zone = 'Z'] = parts.slice(7);
  const utc = Date.UTC(year, month - 1, day, hour, minute, second);
  // Date.UTC lets values overflow: 2024-02-31 would become 2 March.
  const isInRange = month >= 1 && month <= 12 && hour <= 23 && minute <= 59 && second <= 59;
  if (!isInRange || new Date(utc).getUTCDate() !== day) return undefined;
  return utc + Math.floor(Number(`0.${fraction || 0}`) * 1000) - offsetMs(zone);
}

function offsetMs(zone: string): number {
  const parts = /^([-+])(\d\d):?(\d\d)?$/.exec(zone);
  if (!parts) return 0;
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0);
  return (parts[1] === '-' ? -minutes : minutes) * 60_000;
}
