import { describe, expect, test } from 'vitest';
import { ndcg, recall } from '../src/index.ts';

const wanted = new Set([1, 2, 3]);

describe('recall', () => {
  test('is the share of wanted items among the first k', () => {
    expect(recall([1, 9, 2, 8, 3], wanted, 3)).toBeCloseTo(2 / 3);
    expect(recall([1, 9, 2, 8, 3], wanted, 5)).toBe(1);
    expect(recall([7, 8, 9], wanted, 3)).toBe(0);
  });

  test('is not a number for a user who wants nothing, so that nobody averages it in', () => {
    expect(recall([1], new Set(), 1)).toBeNaN();
  });
});

describe('ndcg', () => {
  test('is 1 for the best list, whatever the order among wanted items', () => {
    expect(ndcg([3, 1, 2, 9], wanted, 20)).toBeCloseTo(1);
    expect(ndcg([2, 1], wanted, 2)).toBeCloseTo(1);
  });

  test('equals the sum worked out by hand', () => {
    // Wanted at places 1 and 3 of 3: (1 + 1/2) / (1 + 1/log2(3) + 1/2).
    expect(ndcg([1, 9, 2], wanted, 3)).toBeCloseTo(1.5 / (1 + 1 / Math.log2(3) + 0.5), 12);
  });

  test('is not a number for a user who wants nothing', () => {
    expect(ndcg([1], new Set(), 1)).toBeNaN();
  });
});
