import { describe, expect, test } from 'vitest';
import {
  chooseWindow,
  defaultWindowHours,
  seededRandom,
  sliceEnds,
  sliceOf,
  sliceStart,
  type Trend,
  TrendBuilder,
} from '../src/index.ts';

/** `events` are [age in hours, item]. */
function trendOf(events: readonly (readonly [number, string])[]): Trend {
  const builder = new TrendBuilder();
  for (const [age, item] of events.toSorted(([one], [other]) => one - other)) {
    const slice = sliceOf(age);
    if (slice !== undefined) builder.add(slice, 'buy', item, 1);
  }
  return builder.build();
}

function chosen(trend: Trend): number {
  const steps = chooseWindow(trend, 'buy');
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const random = seededRandom(5);
/** So many events of the last `hours`, each with the item that `itemAt` returns for its age. */
const draw = (count: number, hours: number, itemAt: (age: number) => string) =>
  Array.from({ length: count }, () => {
    const age = random() * hours;
    return [age, itemAt(age)] as const;
  });
const any = () => Math.floor(random() * 30);

describe('slices of time', () => {
  test('cover 90 days without gaps', () => {
    for (const [slice, end] of sliceEnds.entries()) {
      expect(sliceOf(sliceStart(slice))).toBe(slice);
      expect(sliceOf(end - 0.01)).toBe(slice);
    }
    expect(sliceEnds.at(-1)).toBe(90 * 24);
    expect([sliceOf(-1), sliceOf(90 * 24)]).toEqual([undefined, undefined]);
  });
});

describe('a trend', () => {
  test('counts the events of a window, the most frequent item first', () => {
    const trend = trendOf([
      [0.5, 'a'],
      [2.5, 'b'],
      [2.6, 'b'],
      [100, 'c'],
      [101, 'c'],
      [102, 'c'],
    ]);
    const top = (hours: number, n = 10) => trend.top('buy', hours, n).map(({ itemId }) => itemId);
    expect(top(1)).toEqual(['a']);
    expect(top(3)).toEqual(['b', 'a']);
    expect(top(200)).toEqual(['c', 'b', 'a']);
    expect(top(200, 1)).toEqual(['c']);
    expect(trend.top('buy', 3, 10)[0]?.score).toBe(2);
    expect(trend.top('view', 3, 10)).toEqual([]);
  });
});

describe('the window', () => {
  test('is short where what is popular changes fast, and long where it does not', () => {
    const fast = trendOf(draw(20_000, 400, (age) => `day ${Math.floor(age / 24)} item ${any()}`));
    const slow = trendOf(draw(20_000, 400, () => `item ${Math.floor(any() ** 2 / 3)}`));
    expect(chosen(fast)).toBeLessThanOrEqual(24);
    expect(chosen(slow)).toBeGreaterThanOrEqual(168);
  });

  test('is a week if there is too little to choose on', () => {
    expect(chosen(trendOf([]))).toBe(defaultWindowHours);
    expect(chosen(trendOf(draw(50, 400, () => 'a')))).toBe(defaultWindowHours);
    expect(chosen(trendOf(draw(5000, 1, () => 'a')))).toBe(defaultWindowHours);
  });
});
