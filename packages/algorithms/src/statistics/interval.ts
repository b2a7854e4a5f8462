/** A figure from 0 to 1 measured on a sample of users, and the interval that holds the true one in 95 of 100 samples. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the normal distribution, in standard deviations. */
const normal975 = 1.959964;
const tail = 0.025;

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return values.length > 0 ? sum / values.length : 0;
}

/** The sum of squared distances from the mean. */
export function squares(values: ArrayLike<number>): number {
  return moment(values, 2);
}

/** Half the width of the normal 95 % interval of a mean. */
export function normalMargin(values: ArrayLike<number>): number {
  return normal975 * standardError(values);
}

/**
 * The mean of values from 0 to 1, one per user. Most users have 0 and a few have high values, so the usual symmetric
 * interval misses the true value too often and always on the same side (at 50 users with a hit for one in ten, 90 % of
 * intervals hold it instead of 95 %). Hall's transformation removes the skewness (Hall 1992, "On the removal of
 * skewness by transformation", JRSS B 54), here with Student's quantile for small samples.
 */
export function estimate(values: ArrayLike<number>): Estimate {
  const size = values.length;
  const middle = mean(values);
  const spread = squares(values);
  // Equal except for rounding errors.
  if (!(spread > 1e-12 * size)) return constantEstimate(middle, size);
  const skewness = moment(values, 3) / size / (spread / size) ** 1.5;
  const slope = skewness / Math.sqrt(size);
  const quantile = student975(size - 1);
  const corrected = (t: number) =>
    Math.abs(slope) < 1e-9 ? t : (3 / slope) * (Math.cbrt(1 + slope * (t - slope / 6)) - 1);
  const error = standardError(values);
  return within(middle, middle - error * corrected(quantile), middle - error * corrected(-quantile));
}

/** A symmetric interval, for a figure that is not a mean over users. From a single user no interval can be estimated. */
export function intervalAround(middle: number, error: number, size: number): Estimate {
  if (size < 2) return { mean: middle, low: 0, high: 1 };
  const margin = student975(size - 1) * error;
  return within(middle, middle - margin, middle + margin);
}

/**
 * If all users have the same value, there is no spread, yet other users may differ. Uses the exact interval of Clopper
 * and Pearson (1934) for the share of users with this value; the others may have anything from 0 to 1. Without users
 * the interval is 0 to 1.
 */
function constantEstimate(value: number, size: number): Estimate {
  const share = size > 0 ? tail ** (1 / size) : 0;
  return within(value, value * share, value * share + 1 - share);
}

const within = (middle: number, low: number, high: number): Estimate => ({
  mean: middle,
  low: Math.min(middle, Math.max(0, low)),
  high: Math.max(middle, Math.min(1, high)),
});

export function standardError(values: ArrayLike<number>): number {
  const size = Math.max(1, values.length);
  return Math.sqrt(squares(values) / (size * Math.max(1, size - 1)));
}

function moment(values: ArrayLike<number>, power: number): number {
  const middle = mean(values);
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += (values[index]! - middle) ** power;
  return sum;
}

/** The 97.5 % quantile of Student's t: exact for three degrees of freedom and fewer, else within .3 %. */
function student975(freedom: number): number {
  const z = normal975;
  const exact = [12.7062, 4.3027, 3.1824][freedom - 1];
  // Abramowitz and Stegun 26.7.5.
  return (
    exact ??
    z +
      (z ** 3 + z) / (4 * freedom) +
      (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3)
  );
}
