import type { Interactions } from '../interactions.ts';

/** What is known of a user as the model sees it: tokens with weights, and how many newer items there are. */
export interface History {
  readonly token: number[];
  readonly weight: number[];
  /** 0 for the newest item; attributes do not age. */
  readonly age: number[];
  /** The part of `weight` that is due to event types other than the target. */
  readonly hint: number[];
  /** Items that the target event happened to: not to be recommended. */
  readonly had: number[];
}

/**
 * `scale` is what an event of each type and value 1 weighs. `tokens` are those that do not come from events: the user's
 * attribute values, and the one everybody has, each with its weight.
 */
export function readHistory(
  events: Pick<Interactions, 'item' | 'type' | 'value'>,
  from: number,
  to: number,
  scale: readonly number[],
  tokens: readonly (readonly [token: number, weight: number])[],
): History {
  const places = new Map<number, number>();
  const strength: number[] = [];
  const hinted: number[] = [];
  const history: History = { token: [], weight: [], age: [], hint: [], had: [] };
  for (let event = to - 1; event >= from; event--) {
    const item = events.item[event]!;
    const type = events.type[event]!;
    const value = Math.max(0, events.value[event]!) * (scale[type] ?? 0);
    let place = places.get(item);
    if (place === undefined) {
      if (!(value > 0) && type !== 0) continue;
      place = strength.length;
      places.set(item, place);
      strength.push(0);
      hinted.push(0);
      history.had.push(0);
    }
    strength[place]! += value;
    if (type === 0) history.had[place] = 1;
    else hinted[place]! += value;
  }
  const items = [...places.keys()];
  for (const [place, item] of items.entries()) {
    history.token.push(item);
    history.weight.push(diminish(strength[place]!));
    history.hint.push(diminish(hinted[place]!));
    history.age.push(place);
  }
  const had = items.filter((_, place) => history.had[place] === 1);
  history.had.splice(0, history.had.length, ...had);
  for (const [token, weight] of tokens) {
    history.token.push(token);
    history.weight.push(weight);
    history.hint.push(0);
    history.age.push(0);
  }
  return history;
}

/**
 * The weight of an item that a user had events with: their strengths (type's weight times value over the type's
 * mean value, so that the unit of a value does not matter) added up, and beyond 1 only their logarithm, so that the
 * hundredth play of a song says less than the first.
 */
export const diminish = (strength: number) => (strength <= 1 ? strength : 1 + Math.log(strength));

/** What an event of each type and value 1 weighs: the type's weight over the mean value of its events. */
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
