import { expect, test } from 'vitest';
import { EventColumns, largestWeight } from '../src/index.ts';

/** One user an event, all of one item; types as they are. */
function valuesOf(events: readonly (readonly [type: number, value: number])[]) {
  const columns = new EventColumns(events.length);
  for (const [type, value] of events) {
    columns.beginUser();
    columns.push(0, type, value, false);
  }
  const renumber = Uint8Array.from({ length: 65_536 }, (_, type) => type);
  const { events: used, lowered } = columns.finish(renumber, 1, true);
  return { values: [...used.value], lowered };
}

test('a single event with an extreme value does not outweigh all others', () => {
  const ordinary = Array.from({ length: 1000 }, () => [0, 2] as const);
  const { values, lowered } = valuesOf([...ordinary, [0, 1e39]]);
  expect(lowered).toBe(1);
  expect(values.at(-1)).toBe(2 * largestWeight);
  expect(values.slice(0, -1)).toEqual(ordinary.map(() => 2));
});

test('values are limited per event type, and 0 stays 0', () => {
  const views = Array.from({ length: 500 }, () => [1, 1] as const);
  const buys = Array.from({ length: 20 }, (_, n) => [0, 500 + n] as const);
  const { values, lowered } = valuesOf([...views, ...buys, [0, 0]]);
  expect(lowered).toBe(0);
  expect(values.slice(500)).toEqual([...buys.map(([, value]) => value), 0]);
});

test('columns that were read in parts equal those that were read at once, with their own numbers', () => {
  const users = [
    [
      [7, 1, 3, false],
      [7, 1, 2, true],
      [9, 0, 1, false],
    ],
    [[9, 2, 5, false]],
    [
      [8, 0, 4, false],
      [8, 0, 1, true],
    ],
  ] as const;
  const read = (
    some: readonly (typeof users)[number][],
    itemOf: (item: number) => number,
    expected: number,
  ) => {
    const columns = new EventColumns(expected, { hasTimes: true });
    for (const events of some) {
      columns.beginUser();
      for (const [item, type, value, isSameTime] of events)
        columns.push(itemOf(item), type, value, isSameTime, item);
    }
    return columns;
  };
  const renumber = Uint8Array.from({ length: 65_536 }, (_, type) => type);
  const whole = read(users, (item) => item, 6).finish(renumber, 3, true);
  const joined = read(users.slice(0, 1), (item) => item, 1);
  const rest = read(users.slice(1), (item) => 9 - item, 9).part();
  joined.append(rest, Uint32Array.of(9, 8, 7), Uint16Array.of(0, 1, 2));
  expect(joined.finish(renumber, 3, true)).toEqual(whole);
});
