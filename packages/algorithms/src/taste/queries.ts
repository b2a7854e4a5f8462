import type { Usage } from './usage.ts';

/** Both bounds are inclusive. */
export interface UsageCondition {
  /** As `findValue` numbers it. */
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** The users for whom all conditions hold, by number, with the usage of each condition's value. */
export function* listUsers(
  usage: Usage,
  conditions: readonly UsageCondition[],
): Generator<{ readonly user: number; readonly usages: readonly number[] }, void> {
  const asked = conditions.map(({ value, lower, upper }) => ({ usageOf: usage.of(value), lower, upper }));
  for (let user = 0; user < usage.snapshot.events.users; user++) {
    const usages: number[] = [];
    for (const { usageOf, lower, upper } of asked) {
      const own = usageOf(user);
      if (own < lower || own > upper) break;
      usages.push(own);
    }
    if (usages.length === asked.length) yield { user, usages };
  }
}

export interface Distribution {
  /** One more than bins: from 0 to 1 in equal steps. */
  readonly edges: readonly number[];
  /** Users whose usage is in each bin: from its left edge on, to below the right one; in the last, to 1. */
  readonly counts: readonly number[];
}

/** How many users have which usage of a value. Each is in one bin. */
export function distributeUsers(usage: Usage, value: number, bins: number): Distribution {
  const edges = Array.from({ length: bins + 1 }, (_, edge) => edge / bins);
  const counts = edges.slice(1).map(() => 0);
  const usageOf = usage.of(value);
  for (let user = 0; user < usage.snapshot.events.users; user++) counts[binOf(usageOf(user), edges)]!++;
  return { edges, counts };
}

function binOf(usage: number, edges: readonly number[]): number {
  const last = edges.length - 2;
  let bin = Math.min(last, Math.floor(usage * (last + 1)));
  // The product may round across an edge that the edges themselves say.
  while (bin > 0 && usage < edges[bin]!) bin--;
  while (bin < last && usage >= edges[bin + 1]!) bin++;
  return bin;
}
