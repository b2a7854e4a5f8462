import type { Interactions } from './interactions.ts';

/**
 * The weight of an item for a user: the sum of the strengths of the user's events with it, growing only logarithmically
 * beyond 1, so that the hundredth play of a song counts less than the first. An event's strength is the weight of its
 * type times its value over the type's mean value, so the unit of a value does not matter.
 */
export const diminish = (strength: number) => (strength <= 1 ? strength : 1 + Math.log(strength));

/** By type, the weight of an event of value 1: the type's weight over the mean value of its events. */
export function eventScale(events: Interactions, typeWeights: readonly number[]): number[] {
  const sum = typeWeights.map(() => 0);
  const count = typeWeights.map(() => 0);
  for (let event = 0; event < events.item.length; event++) {
    const type = events.type[event]!;
    const value = events.value[event]!;
    if (!(value > 0) || type >= sum.length) continue;
    sum[type]! += value;
    count[type]!++;
  }
  return typeWeights.map((weight, type) => (count[type]! > 0 ? (weight * count[type]!) / sum[type]! : 0));
}
