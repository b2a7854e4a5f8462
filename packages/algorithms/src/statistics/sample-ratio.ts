/**
 * Whether users were assigned to the variants in the planned shares. If not, something loses users of a variant, and the result of the
 * experiment cannot be trusted (Fabijan et al. 2019, "Diagnosing sample ratio mismatch in online controlled experiments").
 *
 * Sequential, since it is looked at every day: the Bayes factor of a Dirichlet-multinomial against the planned shares is a
 * nonnegative martingale with mean 1 while the shares are as planned, so by Ville's inequality it ever exceeds 1 / alpha with
 * probability at most alpha (Lindon and Malek 2022, "Anytime-valid inference for multinomial count data").
 */
export interface SampleRatio {
  /** At most this probable, at any time, if the shares are as planned. */
  readonly pValue: number;
  readonly isMismatch: boolean;
}

/** Rare false alarms: an alarm makes a whole experiment void. */
const alpha = 0.001;
/** The strength of the prior around the planned shares: tuned to mismatches of a few percent. */
const concentration = 1000;

/** `shares` add up to 1, and are in the order of `users`. The evidence counts at its highest so far: pass the last p-value. */
export function checkSampleRatio(
  users: readonly number[],
  shares: readonly number[],
  lastPValue = 1,
): SampleRatio {
  const total = users.reduce((sum, count) => sum + count, 0);
  let logFactor = logGamma(concentration) - logGamma(concentration + total);
  for (const [variant, count] of users.entries()) {
    const share = shares[variant] ?? 0;
    const prior = concentration * share;
    logFactor += logGamma(prior + count) - logGamma(prior) - count * Math.log(share);
  }
  const pValue = Math.min(lastPValue, 1, Math.exp(-logFactor));
  return { pValue, isMismatch: pValue < alpha };
}

/** The logarithm of the gamma function, by Stirling's series after a shift (Abramowitz and Stegun 6.1.41). */
function logGamma(value: number): number {
  let [shifted, product] = [value, 1];
  for (; shifted < 10; shifted++) product *= shifted;
  const inverse = 1 / shifted;
  const series = inverse * (1 / 12 - inverse ** 2 * (1 / 360 - inverse ** 2 / 1260));
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
  );
}
