import type { AffinityReader } from './affinity.ts';

/** Both bounds are inclusive. */
export interface AffinityCondition {
  /** Equal values, as `findValues` numbers them. */
  readonly values: readonly number[];
  readonly lower: number;
  readonly upper: number;
}

/** The users who meet all conditions, by number, with the affinity for each condition's value. */
export function* listUsers(
  affinity: AffinityReader,
  conditions: readonly AffinityCondition[],
): Generator<{ readonly user: number; readonly affinities: readonly number[] }, void> {
  const asked = conditions.map(({ values, lower, upper }) => ({
    affinityOf: affinity.of(values),
    lower,
    upper,
  }));
  for (let user = 0; user < affinity.snapshot.events.users; user++) {
    const affinities: number[] = [];
    for (const { affinityOf, lower, upper } of asked) {
      const own = affinityOf(user);
      if (own < lower || own > upper) break;
      affinities.push(own);
    }
    if (affinities.length === asked.length) yield { user, affinities };
  }
}

export interface Distribution {
  /** From 0 to 1 in equal steps, one more than there are bins. */
  readonly edges: readonly number[];
  /** How many users have an affinity in each bin. A bin includes its left edge but not its right one; the last includes 1. */
  readonly counts: readonly number[];
}

/** The distribution of users' affinities for equal values. Each user is in one bin. */
export function distributeUsers(
  affinity: AffinityReader,
  values: readonly number[],
  bins: number,
): Distribution {
  const edges = Array.from({ length: bins + 1 }, (_, edge) => edge / bins);
  const counts = edges.slice(1).map(() => 0);
  const affinityOf = affinity.of(values);
  for (let user = 0; user < affinity.snapshot.events.users; user++) counts[binOf(affinityOf(user), edges)]!++;
  return { edges, counts };
}

function binOf(affinity: number, edges: readonly number[]): number {
  const last = edges.length - 2;
  let bin = Math.min(last, Math.floor(affinity * (last + 1)));
  // The product may round to the other side of an edge.
  while (bin > 0 && affinity < edges[bin]!) bin--;
  while (bin < last && affinity >= edges[bin + 1]!) bin++;
  return bin;
}
