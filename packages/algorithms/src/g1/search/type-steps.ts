import {
  defaults,
  type G1Parameters,
  type Given,
  otherTypes,
  type Signals,
  type Step,
} from '../parameters.ts';

/** How much an event adds to the score of its own item: first the same for all types, then type by type. */
export function hintSteps(
  name: 'hints' | 'visitorHints',
  signals: Signals,
  rule: Pick<Step, 'prefer'> = {},
): Step[] {
  const others = otherTypes(signals);
  if (others.length === 0) return [];
  const together: Step = {
    name,
    ...rule,
    candidates: (best) =>
      [0, 0.1, 0.3, 1, 3].map((hint) => ({
        ...best,
        [name]: best[name].map((_, type) => (others.includes(type) ? hint : 0)),
      })),
  };
  const apart = others.map(
    (type): Step => ({
      name: `${name} of event type ${type}`,
      ...rule,
      candidates: (best) =>
        near(best[name][type]!).map((hint) => ({ ...best, [name]: best[name].with(type, hint) })),
    }),
  );
  return others.length > 1 ? [together, ...apart] : [together];
}

const near = (hint: number) =>
  (hint > 0 ? [0, hint / 3, hint * 3] : [0.1, 0.3, 1]).map((value) => Number(value.toPrecision(1)));

/**
 * For users without target events: how much each other type counts, for other items and for its own item. A viewed item
 * is recommended for the view alone only if the data shows that users choose what they viewed. A type gets the weight 0
 * only if the data shows that its events mislead.
 */
export function visitorSteps(signals: Signals, given: Given): Step[] {
  const rule = {
    prefer: ({ visitorHints }: G1Parameters) => visitorHints.reduce((sum, hint) => sum + hint, 0),
  };
  const prior = defaults(signals).visitorWeights;
  const hints = hintSteps('visitorHints', signals, rule);
  const others = otherTypes(signals);
  const weights = others.map(
    (type): Step => ({
      name: `weight of event type ${type} for visitors`,
      prefer: ({ visitorWeights }) => Math.abs(visitorWeights[type]! - prior[type]!),
      candidates: (best) =>
        (others.length > 1 ? [0, 0.1, 1] : [0]).map((weight) => ({
          ...best,
          visitorWeights: best.visitorWeights.with(type, weight),
        })),
    }),
  );
  return given.typeWeights ? hints : [...hints, ...weights, ...(others.length > 1 ? hints : [])];
}

/** How long users with a few target events count as visitors: the shortest that is not significantly worse than the best. */
export function fadeSteps(signals: Signals): Step[] {
  if (otherTypes(signals).length === 0) return [];
  const candidates = (best: G1Parameters) => [0, 1, 3, 10].map((fade) => ({ ...best, fade }));
  return [{ name: 'fade', prefer: ({ fade }) => fade, candidates }];
}

/** How much a disliked item counts against similar items: the least that is not significantly worse than the best. */
export function dislikeSteps({ negativeTypes = [] }: Signals): Step[] {
  if (negativeTypes.length === 0) return [];
  const candidates = (best: G1Parameters) => [0, 0.1, 0.3, 1].map((dislike) => ({ ...best, dislike }));
  return [{ name: 'dislike', prefer: ({ dislike }) => dislike, candidates }];
}
