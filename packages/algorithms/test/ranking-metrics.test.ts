import { describe, expect, test } from 'vitest';
import { ndcg, recall } from '../src/index.ts';

const relevant = new Set([1, 2, 3]);

describe('recall', () => {
  test('is the share of relevant items among the first k', () => {
    expect(recall([1, 9, 2, 8, 3], relevant, 3)).toBeCloseTo(2 / 3);
    expect(recall([1, 9, 2, 8, 3], relevant, 5)).toBe(1);
    expect(recall([7, 8, 9], relevant, 3)).toBe(0);
  });

  test('is NaN for a user without relevant items, so that it cannot be averaged by mistake', () => {
    expect(recall([1], new Set(), 1)).toBeNaN();
  });
});

describe('ndcg', () => {
  test('is 1 for the best list, whatever the order of relevant items', () => {
    expect(ndcg([3, 1, 2, 9], relevant, 20)).toBeCloseTo(1);
    expect(ndcg([2, 1], relevant, 2)).toBeCloseTo(1);
  });

  test('equals a sum computed by hand', () => {
    // Wanted at places 1 and 3 of 3: (1 + 1/2) / (1 + 1/log2(3) + 1/2).
    expect(ndcg([1, 9, 2], relevant, 3)).toBeCloseTo(1.5 / (1 + 1 / Math.log2(3) + 0.5), 12);
  });

  test('is NaN for a user without relevant items', () => {
    expect(ndcg([1], new Set(), 1)).toBeNaN();
  });
});
