import { mean } from './interval.ts';

/** How much worse a candidate is, as a share of what it is compared with. Negative if it is better. */
export interface PairedLoss {
  readonly users: number;
  readonly deployed: number;
  readonly candidate: number;
  /** Undefined if the users are too few, or too few of them differ, to say anything. */
  readonly loss: { readonly value: number; readonly low: number; readonly high: number } | undefined;
}

/** With fewer users the distribution of the mean is not close to normal. */
export const minPairs = 100;
/** Of one to nine users that differ, chance decides who they are; a t statistic would be too sure. */
const minDiffering = 10;
/** The 95 % quantile of the normal distribution: each bound is wrong in at most 5 % of cases. */
const normal95 = 1.644854;

/**
 * Compares two models on the same users, each with one score from both models. The interval of the relative loss is that of Fieller
 * (1954, "Some problems in interval estimation", JRSS B 16), which inverts the paired t-test: a loss is inside if the test of
 * `candidate = (1 - loss) * deployed` does not reject it. So it needs no resampling, and it is exact for a ratio of means.
 */
export function comparePaired(deployed: ArrayLike<number>, candidate: ArrayLike<number>): PairedLoss {
  const users = deployed.length;
  const [p, c] = [mean(deployed), mean(candidate)];
  const means = { users, deployed: p, candidate: c };
  let [pp, pc, cc, differing] = [0, 0, 0, 0];
  for (let user = 0; user < users; user++) {
    const [own, other] = [deployed[user]! - p, candidate[user]! - c];
    pp += own * own;
    pc += own * other;
    cc += other * other;
    if (deployed[user] !== candidate[user]) differing++;
  }
  if (users < minPairs) return { ...means, loss: undefined };
  if (differing === 0 && p > 0) return { ...means, loss: { value: 0, low: 0, high: 0 } };
  const quantile = student95(users - 1);
  const scale = quantile ** 2 / (users * (users - 1));
  // The ratios r with (c - r p)^2 <= scale * (cc - 2 r pc + r^2 pp): between the roots of a r^2 - 2 b r + d.
  const [a, b, d] = [p * p - scale * pp, p * c - scale * pc, c * c - scale * cc];
  // Unless the mean of the deployed model is above 0 beyond chance, any ratio is possible.
  if (!(a > 0) || differing < minDiffering) return { ...means, loss: undefined };
  const half = Math.sqrt(Math.max(0, b * b - a * d));
  return { ...means, loss: { value: 1 - c / p, low: 1 - (b + half) / a, high: 1 - (b - half) / a } };
}

/** The 95 % quantile of Student's t for 99 degrees of freedom and more (Abramowitz and Stegun 26.7.5). */
const student95 = (freedom: number) => normal95 + (normal95 ** 3 + normal95) / (4 * freedom);

export type GuardVerdict = 'PASSED' | 'REFUSED' | 'UNDECIDED';

/** Refuses a candidate that has lost more than `maxLoss` beyond chance: at most 5 % of those that have not are refused. */
export function judgeLoss({ loss }: PairedLoss, maxLoss: number): GuardVerdict {
  if (loss === undefined) return 'UNDECIDED';
  return loss.low > maxLoss ? 'REFUSED' : 'PASSED';
}
