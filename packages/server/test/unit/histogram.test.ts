import { expect, test } from 'vitest';
import { addToHistogram, newHistogram, percentileOf } from '../../src/kernel/lib/histogram.ts';

test('percentiles are exact to a step', () => {
  const histogram = newHistogram();
  for (let ms = 1; ms <= 100; ms++) addToHistogram(histogram, ms);
  expect(percentileOf(histogram, 0.5)).toBeCloseTo(50, 0);
  expect(percentileOf(histogram, 0.99)).toBeGreaterThan(70);
  expect(percentileOf(histogram, 0.99)).toBeLessThanOrEqual(100);
});

test('there is no percentile without calls, and calls beyond the last step count as that step', () => {
  const histogram = newHistogram();
  expect(percentileOf(histogram, 0.99)).toBeNull();
  addToHistogram(histogram, 60_000);
  expect(percentileOf(histogram, 0.99)).toBe(5000);
});
