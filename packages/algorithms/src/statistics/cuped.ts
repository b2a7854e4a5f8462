import type { Moments } from './confidence-sequence.ts';

/** Sums over the users of one variant, of the metric and of the same user's past. */
export interface PairedMoments extends Moments {
  readonly pastSum: number;
  readonly pastSquares: number;
  /** The sum of metric times past. */
  readonly products: number;
}

/**
 * Reduces the variance of the metric by what the users did before the experiment (CUPED; Deng, Xu, Kohavi and Walker 2013, "Improving the
 * sensitivity of online controlled experiments by utilizing pre-experiment data"): subtracts the part that their past predicts. The
 * factor is estimated over all variants, so that it does not bias the difference between them.
 */
export function adjustByPast(variants: readonly PairedMoments[]): Moments[] {
  const total = (field: keyof PairedMoments) => variants.reduce((sum, variant) => sum + variant[field], 0);
  const users = total('users');
  const pastMean = total('pastSum') / users;
  // Within variants, so that a difference between them does not count as predicted.
  let [covariance, variance] = [0, 0];
  for (const one of variants) {
    covariance += one.products - (one.sum * one.pastSum) / one.users;
    variance += one.pastSquares - one.pastSum ** 2 / one.users;
  }
  const factor = variance > 0 ? covariance / variance : 0;
  return variants.map((one) => {
    // Of metric - factor * (past - pastMean).
    const centered = one.pastSum - one.users * pastMean;
    const sum = one.sum - factor * centered;
    const pastSquares = one.pastSquares - 2 * pastMean * one.pastSum + one.users * pastMean ** 2;
    const products = one.products - pastMean * one.sum;
    return {
      users: one.users,
      sum,
      squares: one.squares - 2 * factor * products + factor ** 2 * pastSquares,
    };
  });
}
