import { diminish } from '../../data/event-weight.ts';
import { dislikedItems, type Interactions } from '../../data/interactions.ts';
import { type EventWeights, scalesFor } from './event-weights.ts';

/** A user as the model sees them: tokens with weights, and each token's age (how many newer items there are). */
export interface History {
  readonly token: number[];
  readonly weight: number[];
  /** 0 for the newest item; attributes do not age. */
  readonly age: number[];
  /** What the token's events add to the score of the item itself. */
  readonly hint: number[];
  /** Items with a target event, which are not recommended again. */
  readonly seen: number[];
  /** Items whose newest event is negative, which are not recommended either. Their weight is negative. */
  readonly disliked: number[];
}

/** `tokens` do not come from events: the user's attribute values and the token that every user has, with weights. */
export function readHistory(
  events: Pick<Interactions, 'item' | 'type' | 'value'>,
  from: number,
  to: number,
  weights: EventWeights,
  tokens: readonly (readonly [token: number, weight: number])[],
): History {
  const seen = targetsOf(events, from, to);
  const { scale, hint, hintScale } = scalesFor(weights, seen.size);
  const { repeat = 0 } = weights;
  const { types: negativeTypes = [], weight: against = 0 } = weights.dislike ?? {};
  const disliked = dislikedItems(events, negativeTypes, from, to);
  const places = new Map<number, number>();
  const strength: number[] = [];
  const hinted: number[] = [];
  const taken: number[] = [];
  for (let event = to - 1; event >= from; event--) {
    const item = events.item[event]!;
    const type = events.type[event]!;
    // A dislike replaces everything that the user did with the item before.
    const value = disliked.has(item) ? 0 : Math.max(0, events.value[event]!);
    const own = value * (scale[type] ?? 0);
    const self = value * (hintScale[type] ?? 0);
    let place = places.get(item);
    if (place === undefined) {
      if (!(own > 0) && !(self > 0) && type !== 0 && !disliked.has(item)) continue;
      place = strength.length;
      places.set(item, place);
      strength.push(0);
      hinted.push(0);
      taken.push(0);
    }
    strength[place]! += own;
    hinted[place]! += self;
    if (type === 0) taken[place]! += own;
  }
  const items = [...places.keys()];
  return {
    token: [...items, ...tokens.map(([token]) => token)],
    weight: [
      ...items.map((item, place) => (disliked.has(item) ? -against : diminish(strength[place]!))),
      ...tokens.map(([, weight]) => weight),
    ],
    age: [...strength.keys(), ...tokens.map(() => 0)],
    hint: [
      // Users come back to what they had last.
      ...hinted.map((one, age) => hint * diminish(one) + (repeat * diminish(taken[age]!)) / (1 + age)),
      ...tokens.map(() => 0),
    ],
    seen: [...seen],
    disliked: [...disliked],
  };
}

function targetsOf(
  { item, type }: Pick<Interactions, 'item' | 'type'>,
  from: number,
  to: number,
): Set<number> {
  const targets = new Set<number>();
  for (let event = to - 1; event >= from; event--) if (type[event] === 0) targets.add(item[event]!);
  return targets;
}
