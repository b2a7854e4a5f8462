import type { ParametersOf } from '@tastegraph/contract';
import { defaultMap } from './items/map.ts';
import { defaultTypeWeight, type G1Parameters } from './parameters.ts';

/** In the developer's terms, as on the wire. */
export type WireParameters = ParametersOf<'G1'>;

/** The parameters that the developer fixed. `eventTypes` are by number, the target first. */
export function fromWire(given: WireParameters, eventTypes: readonly string[]): Partial<G1Parameters> {
  const { event_weights: weights } = given;
  const all: { [Name in keyof G1Parameters]: G1Parameters[Name] | undefined } = {
    k: given.neighbors,
    lambda: given.regularization,
    c: given.popularity_regularization,
    beta: given.activity_exponent,
    a: given.popularity_scaling,
    recency: given.recency,
    // On the wire, taste has weight g and transitions have weight 1; in G1 the two weights add up to 1.
    transitions: given.taste_weight === undefined ? undefined : 1 / (1 + given.taste_weight),
    map: mapOf(given.attribute_weight),
    typeWeights:
      weights &&
      eventTypes.map(
        // Developers name the types, and one may be called `constructor`.
        (type, number) =>
          (Object.hasOwn(weights, type) ? weights[type] : undefined) ?? defaultTypeWeight(number),
      ),
    attributeWeight: undefined,
    hints: undefined,
    outcome: undefined,
    visitorWeights: undefined,
    visitorHints: undefined,
    fade: undefined,
    dislike: undefined,
    repeat: undefined,
    pairs: undefined,
    rank: undefined,
    lowRankWeight: undefined,
    halfLifeDays: undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const mapOf = (weight: number | undefined) => {
  if (weight === undefined) return undefined;
  return weight > 0 ? { ...defaultMap, fresh: weight } : null;
};

/** The chosen parameters, in the developer's terms. */
export function toWire(chosen: G1Parameters, eventTypes: readonly string[]): WireParameters {
  return {
    neighbors: chosen.k,
    regularization: chosen.lambda,
    popularity_regularization: chosen.c,
    activity_exponent: chosen.beta,
    popularity_scaling: chosen.a,
    recency: chosen.recency,
    // Without transitions, the ratio of taste to transitions would be infinite.
    ...(chosen.transitions > 0 ? { taste_weight: round((1 - chosen.transitions) / chosen.transitions) } : {}),
    event_weights: Object.fromEntries(
      chosen.typeWeights.map((weight, type) => [eventTypes[type] ?? String(type), weight]),
    ),
    attribute_weight: chosen.map?.fresh ?? 0,
  };
}

/** Drops meaningless digits: a share of .3 gives 2.3333…. */
const round = (value: number) => Number(value.toPrecision(4));
