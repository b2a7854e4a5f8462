import { describe, expect, test } from 'vitest';
import { createMapping } from '../src/mapping.ts';
import { convert, parseDate } from '../src/values.ts';

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

describe('the unit of a column of times', () => {
  const rows = (...times: string[]) => times.map((time) => ['u', 'i', time, 'view']);
  const columns = ['user_id', 'item_id', 'ts', 'event_type'];
  const nothing = { map: new Map(), as: new Map(), skip: [], eventType: undefined };
  const unitOf = (sample: string[][]) =>
    createMapping('events', columns, sample, nothing).fields.find(({ name }) => name === 'ts')?.as;

  test('is that of most rows: the others are rejected one by one', () => {
    expect(unitOf(rows('2026-01-01', 'yesterday', '2026-01-02'))).toBe('iso');
    expect(unitOf(rows('1700000000', 'n/a', '1700000001'))).toBe('s');
  });

  test('is an error that names the row and the value if most are not times', () => {
    expect(() => unitOf(rows('2026-01-01', 'yesterday', 'today'))).toThrow('"yesterday" (row 2)');
  });
});
