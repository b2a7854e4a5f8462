// Without Intl: a browser takes tens of milliseconds to create its first formatters, which the first screen would wait for.

/** Commas between the thousands. */
function group(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export const formatCount = (count: number) => group(Number(count.toFixed(3)));
/** To three digits: 0.0123, 1,230. */
export const formatNumber = (value: number) => group(Number(value.toPrecision(3)));

const magnitudes = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const;

/** "1.2K", "34M". */
export function formatCompact(count: number): string {
  // What rounds up to 1000 of one unit is 1 of the next.
  const [size, unit] = magnitudes.find(([one]) => Math.abs(count) >= one * 0.99995) ?? [1, ''];
  return `${formatCount(Number((count / size).toFixed(1)))}${unit}`;
}

export const formatPercent = (share: number, digits = 0) => `${(share * 100).toFixed(digits)} %`;

/** "1 event", "2 events". */
export const formatNumberOf = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function formatDay(date: Date): string {
  return `${months[date.getMonth()] ?? ''} ${date.getDate()}, ${date.getFullYear()}`;
}

/** "16:05", in the reader's time zone. */
export function formatHour(ts: number): string {
  const date = new Date(ts);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

export const formatTime = (ts: number) => `${formatDay(new Date(ts))}, ${formatHour(ts)}`;

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** "11 months ago" says less than a date. */
const agoSeconds = 30 * 86_400;

/** "now", "5 minutes ago", "yesterday", "in 2 hours", "Nov 16, 2026". */
export function formatAgo(ts: number, now = Date.now()): string {
  const seconds = (ts - now) / 1000;
  if (Math.abs(seconds) > agoSeconds) return formatDay(new Date(ts));
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const count = Math.round(seconds / size);
  if (count === 0) return 'now';
  if (unit === 'day' && Math.abs(count) === 1) return count < 0 ? 'yesterday' : 'tomorrow';
  const amount = formatNumberOf(Math.abs(count), unit);
  return count < 0 ? `${amount} ago` : `in ${amount}`;
}

/** "256 MiB", "1.5 GiB". */
export function formatBytes(bytes: number): string {
  const [size, unit] = bytes < 2 ** 30 ? [2 ** 20, 'MiB'] : [2 ** 30, 'GiB'];
  const count = bytes / size;
  return `${formatCount(Number(count.toFixed(count < 10 ? 1 : 0)))} ${unit}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
