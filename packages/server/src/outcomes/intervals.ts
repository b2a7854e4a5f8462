/** A total, its rate per unit, and the 95 % interval of the rate. */
export interface Measure {
  readonly total: number;
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Two-sided, 95 %: of the normal distribution, and of Student's with 63 degrees of freedom (64 groups of users). */
const z = 1.959964;
const t = 1.998341;

/** `share` is at most one per unit, `count` any whole number, `sum` any number. */
type Kind = 'share' | 'count' | 'sum';

export const sumOf = (groups: readonly number[]): number => groups.reduce((sum, one) => sum + one, 0);

/**
 * Estimates the rate of `events` per `units` from their sums by group of users. All units of a user are in one group, on
 * all days, so the spread between groups shows how much the rate varies by chance, also if one user's units are alike: the
 * delta method for a ratio of means, with groups as clusters. For few events the spread says little: a share or a count is
 * never given a narrower interval than if all units were independent (Wilson's and the score interval of Poisson).
 */
export function measure(kind: Kind, events: readonly number[], units: readonly number[]): Measure {
  const [total, count] = [sumOf(events), sumOf(units)];
  if (count === 0) return { total, rate: null, low: null, high: null };
  const rate = total / count;
  const groups = units.length;
  const squares = units.reduce((sum, unit, group) => sum + ((events[group] ?? 0) - rate * unit) ** 2, 0);
  const filled = units.filter((unit) => unit > 0).length;
  const error = (t * Math.sqrt((groups / (groups - 1)) * squares)) / count;
  const spread = filled < 2 ? undefined : { low: Math.max(0, rate - error), high: rate + error };
  if (kind === 'sum') return { total, rate, low: spread?.low ?? null, high: spread?.high ?? null };
  const alone = kind === 'share' ? wilson(total, count) : poisson(total, count);
  return {
    total,
    rate,
    low: Math.min(alone.low, spread?.low ?? alone.low),
    high: Math.max(alone.high, Math.min(spread?.high ?? 0, kind === 'share' ? 1 : Number.POSITIVE_INFINITY)),
  };
}

function wilson(total: number, count: number): { low: number; high: number } {
  const rate = total / count;
  const middle = (rate + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const half =
    (z / (1 + z ** 2 / count)) * Math.sqrt((rate * (1 - rate)) / count + z ** 2 / (4 * count ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function poisson(total: number, count: number): { low: number; high: number } {
  const half = z * Math.sqrt(total + z ** 2 / 4);
  return { low: Math.max(0, (total + z ** 2 / 2 - half) / count), high: (total + z ** 2 / 2 + half) / count };
}

/** Adds up sums by group. */
export function addGroups(rows: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length }, (_, group) => rows.reduce((sum, row) => sum + (row[group] ?? 0), 0));
}
