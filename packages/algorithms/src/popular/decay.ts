import type { Interactions } from '../data/interactions.ts';
import { mean, normalMargin } from '../statistics/interval.ts';

/** In days. After such a half-life nothing has decayed noticeably. */
export const never = 36_500;

const minutesPerDay = 1440;

/** By event number, the weight of an event of value 1: it halves with each half-life before the newest event. */
export function decayOf({ time }: Interactions, halfLifeDays: number): (event: number) => number {
  if (!time) return () => 1;
  const newest = time.reduce((latest, minute) => Math.max(latest, minute), 0);
  return (event) => 2 ** ((time[event]! - newest) / (halfLifeDays * minutesPerDay));
}

/** Adds a user's target events to the sums by item. */
export function addPopularity(
  { offsets, item, type, value }: Interactions,
  user: number,
  weightOf: (event: number) => number,
  sums: Float64Array,
): void {
  for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
    if (type[event] === 0) sums[item[event]!]! += Math.max(0, value[event]!) * weightOf(event);
}

/** By item, the sum over the target events of all users. */
export function popularityOf(events: Interactions, weightOf: (event: number) => number): Float64Array {
  const sums = new Float64Array(events.items);
  for (let user = 0; user < events.users; user++) addPopularity(events, user, weightOf, sums);
  return sums;
}

/** In days, from six hours to practically infinite. */
const halfLives = [0.25, 1, 3, 7, 14, 30, 60, 120, 365, never];
/** With fewer users, chance would choose. */
export const fewestUsers = 20;

/**
 * The longest half-life that is not significantly worse than the best, by a 95 % interval of the per-user differences:
 * a short one forgets more. `ndcgOf` returns the NDCG of each validation user.
 */
export function chooseHalfLife(ndcgOf: (halfLifeDays: number, fraction: number) => Float32Array): number {
  const tried = halfLives.map((days, place) => ({ days, ndcg: ndcgOf(days, place / halfLives.length) }));
  const best = tried.reduce((one, other) => (mean(other.ndcg) > mean(one.ndcg) ? other : one));
  const isClose = ({ ndcg }: (typeof tried)[number]) => {
    const loss = best.ndcg.map((value, index) => value - ndcg[index]!);
    return mean(loss) <= normalMargin(loss);
  };
  return (tried.findLast(isClose) ?? best).days;
}
