import { limits } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../src/lib/random.ts';
import { comparePaired, minPairs } from '../src/statistics/paired-loss.ts';

/** Scores like NDCG: most users have 0; of the others, the candidate shares `shared`, the rest is drawn anew. */
function drawPair(users: number, ratio: number, shared: number, seed: number) {
  const random = seededRandom(seed);
  const draw = (rate: number) => (random() < rate ? 1 / Math.log2(2 + Math.floor(random() * 20)) : 0);
  const deployed = Array.from({ length: users }, () => draw(0.3));
  const candidate = deployed.map((score) => (random() < shared ? score * ratio : draw(0.3 * ratio)));
  return { deployed, candidate };
}

describe('the interval of a paired loss', () => {
  test.each([
    { ratio: 1, users: 400 },
    { ratio: 0.95, users: 400 },
    { ratio: 1, users: minPairs },
    { ratio: 0.8, users: 2000 },
  ])(
    'has each bound on the right side of the true loss 95 times in 100: $ratio, $users users',
    ({ ratio, users }) => {
      const rounds = 2000;
      let [tooHigh, tooLow] = [0, 0];
      for (let seed = 1; seed <= rounds; seed++) {
        const { deployed, candidate } = drawPair(users, ratio, 0.5, seed);
        const { loss } = comparePaired(deployed, candidate);
        if (loss === undefined) throw new Error('undecided');
        if (loss.low > 1 - ratio) tooHigh++;
        if (loss.high < 1 - ratio) tooLow++;
      }
      // 5 % and four standard errors of 2,000 rounds.
      for (const wrong of [tooHigh, tooLow]) expect(wrong / rounds).toBeLessThan(0.07);
      expect(tooHigh + tooLow).toBeGreaterThan(0.05 * rounds);
    },
  );

  test('is what the t-test of each loss says', () => {
    const { deployed, candidate } = drawPair(500, 0.9, 0.5, 7);
    const { loss } = comparePaired(deployed, candidate);
    for (const bound of [loss!.low, loss!.high]) {
      const differences = candidate.map((score, user) => score - (1 - bound) * deployed[user]!);
      const middle = differences.reduce((sum, one) => sum + one, 0) / 500;
      const spread = differences.reduce((sum, one) => sum + (one - middle) ** 2, 0);
      expect(Math.abs(middle) / Math.sqrt(spread / (500 * 499))).toBeCloseTo(1.6479, 3);
    }
  });
});

test('needs as many users as the API says', () => expect(minPairs).toBe(limits.guardUsersMin));

describe('too little to decide', () => {
  test.each([
    ['few users', 99, 0.3],
    ['no user with a hit', 1000, 0],
  ])('%s', (_, users, rate) => {
    const random = seededRandom(3);
    const scores = () => Array.from({ length: users }, () => (random() < rate ? 1 : 0));
    expect(comparePaired(scores(), scores()).loss).toBeUndefined();
  });

  test('few users that differ', () => {
    const deployed = Array.from({ length: 1000 }, (_, user) => (user % 3 === 0 ? 1 : 0));
    const candidate = deployed.map((score, user) => (user < 27 ? 0 : score));
    expect(comparePaired(deployed, candidate).loss).toBeUndefined();
  });

  test('but the same model twice has lost nothing', () => {
    const deployed = Array.from({ length: 1000 }, (_, user) => (user % 3 === 0 ? 1 : 0));
    expect(comparePaired(deployed, [...deployed]).loss).toEqual({ value: 0, low: 0, high: 0 });
  });
});
