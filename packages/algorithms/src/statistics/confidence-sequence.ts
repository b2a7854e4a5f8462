/**
 * Sequential intervals for the difference of two means: an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and
 * Ramdas 2024, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52). It holds the true
 * value at all times at once with probability 1 - alpha, so it may be looked at as often as one likes.
 */

/** What is known of one variant: the number of users, and the sum and the sum of squares of their values. */
export interface Moments {
  readonly users: number;
  readonly sum: number;
  readonly squares: number;
}

export interface SequentialInterval {
  /** Of the second mean minus the first. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** With fewer users per variant, the approximation by a normal distribution does not hold, and there is no interval. */
export const minUsersPerVariant = 100;

/** Where the interval is tightest; at a tenth or ten times as many users, it is about 10 % wider than one tuned for them. */
const tunedUsers = 20_000;

/** Undefined while there are too few users. */
export function sequentialInterval(
  control: Moments,
  treatment: Moments,
  alpha: number,
): SequentialInterval | undefined {
  if (Math.min(control.users, treatment.users) < minUsersPerVariant) return undefined;
  const [one, other] = [control, treatment].map(describe) as [Described, Described];
  const difference = other.mean - one.mean;
  const users = control.users + treatment.users;
  // The variance of the difference as if it were the mean of `users` independent values.
  const variance = users * (one.variance / control.users + other.variance / treatment.users);
  const margin = Math.sqrt(variance) * boundary(users, alpha);
  return { difference, low: difference - margin, high: difference + margin };
}

/** The half width per standard deviation: the mixture boundary of Robbins, equation (4) of the paper. */
function boundary(users: number, alpha: number): number {
  const rho2 = tunedRho2(alpha);
  const scaled = users * rho2 + 1;
  return Math.sqrt(((2 * scaled) / (users ** 2 * rho2)) * Math.log(Math.sqrt(scaled) / alpha));
}

/** The parameter that makes the boundary tightest at `tunedUsers`: appendix B.2 of the paper. */
function tunedRho2(alpha: number): number {
  const log = -2 * Math.log(alpha);
  return (log + Math.log(log) + 1) / tunedUsers;
}

interface Described {
  readonly mean: number;
  readonly variance: number;
}

function describe({ users, sum, squares }: Moments): Described {
  const mean = sum / users;
  return { mean, variance: Math.max(0, squares / users - mean * mean) };
}
