import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/http/api-error.ts';
import { checkTicks, dueTicks, nextTick } from '../../src/schedules/ticks.ts';

const at = (time: string) => Date.parse(time);
const iso = (ms: number) => new Date(ms).toISOString();

/** The next `count` times. */
function times(cron: string, time_zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let last = at(after); found.length < count; found.push(iso(last)))
    last = nextTick({ cron, time_zone }, last);
  return found;
}

describe('in a time zone with summer time', () => {
  test('a time that is skipped runs once, at the next time that exists', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  test('a time that occurs twice runs once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  test('every hour is every hour of real time', () => {
    expect(times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 4)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
      '2026-10-25T03:00:00.000Z',
    ]);
  });
});

describe('after an outage', () => {
  const hourly = { cron: '0 * * * *', time_zone: 'UTC' };

  test('the last time that is due counts, and those before it are missed', () => {
    const due = dueTicks(hourly, at('2026-01-01T03:00:00Z'), at('2026-01-01T07:10:00Z'));
    expect({ ...due, lastMs: iso(due.lastMs), nextMs: iso(due.nextMs) }).toEqual({
      lastMs: '2026-01-01T07:00:00.000Z',
      earlier: 4,
      nextMs: '2026-01-01T08:00:00.000Z',
    });
  });

  test('a year of minutes is not counted one by one', () => {
    const minutely = { cron: '* * * * *', time_zone: 'UTC' };
    const due = dueTicks(minutely, at('2025-01-01T00:00:00Z'), at('2026-01-01T00:00:30Z'));
    expect(iso(due.nextMs)).toBe('2026-01-01T00:01:00.000Z');
  });
});

test.each([
  ['0 3 * *', 'UTC'],
  ['0 0 3 * * *', 'UTC'],
  ['@daily', 'UTC'],
  ['61 3 * * *', 'UTC'],
  ['0 0 31 2 *', 'UTC'],
  ['0 3 * * *', 'Mars/Olympus'],
])('%s in %s is refused', (cron, time_zone) => {
  expect(() => checkTicks({ cron, time_zone })).toThrow(ApiError);
});
