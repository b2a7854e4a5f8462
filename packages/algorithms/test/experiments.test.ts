import { describe, expect, test } from 'vitest';
import { seededRandom } from '../src/lib/random.ts';
import { type Moments, sequentialInterval } from '../src/statistics/confidence-sequence.ts';
import { checkSampleRatio } from '../src/statistics/sample-ratio.ts';
import { compareVariants } from '../src/statistics/verdict.ts';

function momentsOf(values: readonly number[]): Moments {
  return {
    users: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0),
  };
}

describe('a sequential interval', () => {
  test('holds the true difference at every look of at least 95 of 100 experiments', () => {
    const rounds = 400;
    let broken = 0;
    for (let seed = 1; seed <= rounds; seed++) {
      const random = seededRandom(seed);
      const sums = [0, 1].map(() => ({ users: 0, sum: 0, squares: 0 }));
      for (let look = 0; look < 30; look++) {
        for (let user = 0; user < 400; user++) {
          const variant = random() < 0.3 ? 0 : 1;
          const value = random() < (variant === 0 ? 0.1 : 0.15) ? 1 : 0;
          const own = sums[variant]!;
          own.users++;
          own.sum += value;
          own.squares += value;
        }
        const interval = sequentialInterval(sums[0]!, sums[1]!, 0.05);
        if (interval && (interval.low > 0.05 || interval.high < 0.05)) {
          broken++;
          break;
        }
      }
    }
    expect(broken / rounds).toBeLessThan(0.05);
  });

  test('needs users of both variants, and gets narrower with more of them', () => {
    const many = momentsOf(Array.from({ length: 10_000 }, (_, user) => user % 2));
    expect(sequentialInterval(many, momentsOf([0, 1]), 0.05)).toBeUndefined();
    const some = momentsOf(Array.from({ length: 1000 }, (_, user) => user % 2));
    const [wide, narrow] = [sequentialInterval(some, some, 0.05), sequentialInterval(many, many, 0.05)];
    expect(narrow!.high).toBeLessThan(wide!.high);
  });
});

test('a verdict names the better and the worse variant, and none if the shares are not as planned', () => {
  const rate = (share: number) =>
    momentsOf(Array.from({ length: 20_000 }, (_, user) => ((user * 7919) % 20_000 < share * 20_000 ? 1 : 0)));
  const variants = [rate(0.1), rate(0.2), rate(0.05), rate(0.1)];
  expect(compareVariants(variants, false).map(({ verdict }) => verdict)).toEqual([
    'BETTER',
    'WORSE',
    'RUNNING',
  ]);
  expect(compareVariants(variants, true).map(({ verdict }) => verdict)).toEqual(
    Array.from({ length: 3 }, () => 'INVALID'),
  );
});

describe('the sample-ratio check', () => {
  test('finds shares that are not as planned, and keeps its alarm', () => {
    const off = checkSampleRatio([48_000, 52_000], [0.5, 0.5]);
    expect(off.isMismatch).toBe(true);
    expect(checkSampleRatio([50_000, 50_000], [0.5, 0.5], off.pValue).isMismatch).toBe(true);
    expect(checkSampleRatio([50_100, 49_900], [0.5, 0.5]).isMismatch).toBe(false);
    expect(checkSampleRatio([10_050, 19_950, 70_000], [0.1, 0.2, 0.7]).isMismatch).toBe(false);
    expect(checkSampleRatio([0, 0], [0.5, 0.5])).toEqual({ pValue: 1, isMismatch: false });
  });
});
