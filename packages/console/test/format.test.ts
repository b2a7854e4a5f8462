import { expect, test } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatCount,
  formatNumber,
  formatTime,
} from '../src/format.ts';

const intl = {
  count: new Intl.NumberFormat('en'),
  number: new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }),
  compact: new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }),
  ago: new Intl.RelativeTimeFormat('en', { numeric: 'auto' }),
};

const counts = [0, 1, 12, 999, 1000, 1234, 99_950, 999_940, 999_950, 1e6, 1_234_567, 987_654_321, 4e9];

test.each([...counts, 0.5, 0.0017, 1234.5, -1234])('%d is written as Intl writes it', (count) => {
  expect(formatCount(count)).toBe(intl.count.format(count));
});

test.each([...counts, 0.012_345, 1.5, 12_345.6])('%d has three digits as Intl has them', (value) => {
  expect(formatNumber(value)).toBe(intl.number.format(value));
});

test.each([...counts, 12.34, -2500])('%d is shortened as Intl shortens it', (count) => {
  expect(formatCompact(count)).toBe(intl.compact.format(count));
});

test.each([
  [-3, 'second'],
  [0, 'second'],
  [-1, 'minute'],
  [-59, 'minute'],
  [2, 'hour'],
  [-1, 'day'],
  [1, 'day'],
  [-29, 'day'],
] as const)('%d %ss from now is said as Intl says it', (count, unit) => {
  const seconds = { second: 1, minute: 60, hour: 3600, day: 86_400 }[unit];
  const now = Date.UTC(2026, 10, 16);
  expect(formatAgo(now + count * seconds * 1000, now)).toBe(intl.ago.format(count, unit));
});

test('an old time is a date, and a time has hours of two digits', () => {
  const ts = new Date(2025, 0, 2, 3, 4).getTime();
  expect(formatAgo(ts, new Date(2026, 0, 2).getTime())).toBe('Jan 2, 2025');
  expect(formatTime(ts)).toBe('Jan 2, 2025, 03:04');
});

test.each([
  [2 ** 20, '1 MiB'],
  [1.55 * 2 ** 20, '1.6 MiB'],
  [256 * 2 ** 20, '256 MiB'],
  [1.5 * 2 ** 30, '1.5 GiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
