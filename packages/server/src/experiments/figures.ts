import type { Moments } from '@tastegraph/algorithms';
import type { ExperimentMetric } from '@tastegraph/contract';

/** Sums over the users of a variant, of one day. A user counts on the day of the first answer, and is measured on the day after the window. */
export type VariantSums = Readonly<Record<keyof typeof noSums, number>>;

export const noSums = {
  users: 0,
  answers: 0,
  fallbacks: 0,
  measured: 0,
  /** Users with an event, and with a target event. */
  clicked: 0,
  converted: 0,
  target_events: 0,
  target_events_squares: 0,
  value: 0,
  value_squares: 0,
};

/** What the worker computes. Days that have nothing are left out; the oldest first. */
export interface Figures {
  readonly days: readonly {
    /** Days since 1970, UTC. */
    readonly day: number;
    /** In the order of the variants. */
    readonly variants: readonly VariantSums[];
  }[];
}

const sumNames = Object.keys(noSums) as (keyof VariantSums)[];

export function addSums(one: VariantSums, other: VariantSums): VariantSums {
  return Object.fromEntries(sumNames.map((name) => [name, one[name] + other[name]])) as VariantSums;
}

/** The sum, and the sum of squares, of one number per measured user. */
export function momentsOf(sums: VariantSums, metric: ExperimentMetric): Moments {
  const users = sums.measured;
  if (metric === 'CLICKED') return { users, sum: sums.clicked, squares: sums.clicked };
  if (metric === 'CONVERTED') return { users, sum: sums.converted, squares: sums.converted };
  if (metric === 'TARGET_EVENTS')
    return { users, sum: sums.target_events, squares: sums.target_events_squares };
  return { users, sum: sums.value, squares: sums.value_squares };
}
