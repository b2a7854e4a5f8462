const whole = new Intl.NumberFormat('en');
const significant = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const formatCount = (count: number) => whole.format(count);
export const formatCompact = (count: number) => compact.format(count);
/** To three digits: 0.0123, 1,230. */
export const formatNumber = (value: number) => significant.format(value);
export const formatTime = (ts: number) => dateTime.format(ts);
export const formatPercent = (share: number, digits = 0) => `${(share * 100).toFixed(digits)} %`;

/** "1 event", "2 events". */
export const formatNumberOf = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
/** "11 months ago" says less than a date. */
const agoSeconds = 30 * 86_400;

export function formatAgo(ts: number, now = Date.now()): string {
  const seconds = (ts - now) / 1000;
  if (Math.abs(seconds) > agoSeconds) return day.format(ts);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.round(seconds / size), unit);
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
