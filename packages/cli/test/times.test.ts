import { describe, expect, test } from 'vitest';
import { convert, parseDate } from '../src/import/values.ts';

describe('times are exact to the millisecond in every unit', () => {
  const range = Array.from({ length: 1000 }, (_, n) => n);
  // At these times, seconds and milliseconds round differently in floating point.
  test.each([1_700_000_000, 1_080_000_000, 540_000_000])('%i', (second) => {
    for (const ms of range) {
      const digits = String(ms).padStart(3, '0');
      const ts = second * 1000 + ms;
      expect(convert(`${ts}000000`, 'ns')).toBe(ts);
      expect(convert(`${ts}999999`, 'ns')).toBe(ts);
      expect(convert(`${ts}000`, 'us')).toBe(ts);
      expect(convert(ts * 1000 + 999, 'us')).toBe(ts);
      expect(convert(`${ts}.9`, 'ms')).toBe(ts);
      expect(convert(`${second}.${digits}`, 's')).toBe(ts);
      expect(convert(Number(`${second}.${digits}`), 's')).toBe(ts);
      expect(convert(new Date(ts).toISOString(), 'iso')).toBe(ts);
    }
  });

  test('before 1970, below one millisecond, and with an exponent', () => {
    expect(convert('-1500', 'us')).toBe(-2);
    expect(convert('-1.5', 's')).toBe(-1500);
    expect(convert('999', 'ns')).toBe(0);
    expect(convert('0', 'ns')).toBe(0);
    expect(convert('1.7e9', 's')).toBe(1_700_000_000_000);
  });

  test('a value that is not a number is unchanged', () => {
    for (const cell of ['', '017', '1 700', '1,700', 'now'])
      expect(convert(cell, 's')).toBe(cell === '' ? undefined : cell);
  });
});

test('dates that do not exist are rejected', () => {
  for (const text of [
    '2024-00-10',
    '2024-13-10',
    '2024-02-00',
    '2024-02-30',
    '2024-02-01 24:00',
    '2024-02-01T10:60:00Z',
    '2024-02-01T10:99',
    '2024-02-01T10:00:60Z',
    '2024-02-01T10:00:99',
  ])
    expect(parseDate(text), text).toBeUndefined();
  expect(parseDate('2024-02-29 23:59:59.999')).toBe(Date.UTC(2024, 1, 29, 23, 59, 59, 999));
});
