/** How much event types count: parameters of a training job. */
export interface TypeParameters {
  /** By event type, in the regression and for users with many target events; the target's is 1. */
  readonly typeWeights: readonly number[];
  /** By event type, how much an event adds to the score of its own item, in mean row masses; the target's is 0. */
  readonly hints: readonly number[];
  /** The same two for users without target events. */
  readonly visitorWeights: readonly number[];
  readonly visitorHints: readonly number[];
  /** With this many target events, a user is halfway between the two. 0 treats all users with target events alike. */
  readonly fade: number;
  /** How much a disliked item counts against similar items; a target event counts 1 in their favor. */
  readonly dislike: number;
  /** How much a target event adds to the score of its own item, in mean row masses: users come back to what they had. */
  readonly repeat: number;
}

/** How much one event counts for a kind of user, by event type and per unit of `event_value`. */
export interface TypeScales {
  /** The weight of the event's item, as evidence for other items. */
  readonly scale: readonly number[];
  /** A hint is evidence for the item itself: `hint * diminish(sum of hintScale * value)`. */
  readonly hint: number;
  readonly hintScale: readonly number[];
}

/**
 * Events of types other than the target add little for users with target events, and are all that is known about users
 * without. So their weight depends on how many items a user has a target event with.
 */
export interface EventWeights {
  /** For users with many target events. */
  readonly active: TypeScales;
  /** For users without target events. */
  readonly visitor: TypeScales;
  /** With this many target events, a user is halfway between the two. */
  readonly fade: number;
  /** Absent if no type is negative. */
  readonly dislike?: { readonly types: readonly number[]; readonly weight: number };
  /** What a target event adds to the score of its own item; absent if nothing. */
  readonly repeat?: number;
}

/** `unit` is the weight of an event of value 1 if its type has the weight 1. */
export function eventWeights(
  parameters: TypeParameters,
  unit: readonly number[],
  negativeTypes: readonly number[] = [],
): EventWeights {
  const { typeWeights, hints, visitorWeights, visitorHints, fade, dislike, repeat } = parameters;
  return {
    active: scalesOf(typeWeights, hints, unit),
    visitor: scalesOf(visitorWeights, visitorHints, unit),
    fade,
    ...(negativeTypes.length > 0 && { dislike: { types: negativeTypes, weight: dislike } }),
    ...(repeat > 0 && { repeat }),
  };
}

function scalesOf(weights: readonly number[], hints: readonly number[], unit: readonly number[]): TypeScales {
  const hint = Math.max(0, ...hints);
  return {
    scale: unit.map((one, type) => one * (weights[type] ?? 0)),
    hint,
    hintScale: unit.map((one, type) => (hint > 0 ? (one * (hints[type] ?? 0)) / hint : 0)),
  };
}

/** For a user who has target events with `targets` items. */
export function scalesFor({ active, visitor, fade }: EventWeights, targets: number): TypeScales {
  if (targets === 0) return visitor;
  if (fade === 0) return active;
  const share = fade / (fade + targets);
  const between = (many: number, none: number) => many + (none - many) * share;
  return {
    scale: active.scale.map((one, type) => between(one, visitor.scale[type]!)),
    hint: between(active.hint, visitor.hint),
    hintScale: active.hintScale.map((one, type) => between(one, visitor.hintScale[type]!)),
  };
}
