import type { G1Parameters } from '@tastegraph/algorithms';
import type { Request } from '@tastegraph/contract';

export type AlgorithmParameters = Request<'createAlgorithm'>['algorithm_parameters'];

/** As G1 takes them where the developer names no weight: half for the most frequent other type, less for the rest. */
const otherTypeWeights = [0.5, 0.3];

/** What the developer fixed, in G1's terms; the rest is G1's to choose. `eventTypes` are by number, the target first. */
export function toG1(given: AlgorithmParameters, eventTypes: readonly string[]): Partial<G1Parameters> {
  const { event_weights: weights } = given;
  const all: { [Name in keyof G1Parameters]: G1Parameters[Name] | undefined } = {
    k: given.neighbors,
    lambda: given.regularization,
    c: given.popularity_regularization,
    beta: given.activity_exponent,
    a: given.popularity_scaling,
    recency: given.recency,
    // g weighs taste against transitions of weight 1; G1 divides a weight of 1 between the two.
    transitions: given.taste_weight === undefined ? undefined : 1 / (1 + given.taste_weight),
    gamma: given.attribute_weight,
    typeWeights:
      weights &&
      eventTypes.map(
        // Types are the developer's to name, and one may be called `constructor`.
        (type, index) =>
          (Object.hasOwn(weights, type) ? weights[type] : undefined) ??
          (index === 0 ? 1 : (otherTypeWeights[index - 1] ?? 0.3)),
      ),
    attributeWeight: undefined,
    hint: undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** What was chosen, in the developer's terms. */
export function fromG1(chosen: G1Parameters, eventTypes: readonly string[]): AlgorithmParameters {
  return {
    neighbors: chosen.k,
    regularization: chosen.lambda,
    popularity_regularization: chosen.c,
    activity_exponent: chosen.beta,
    popularity_scaling: chosen.a,
    recency: chosen.recency,
    // Without transitions taste is all there is, and no number says how much more that would be.
    ...(chosen.transitions > 0 ? { taste_weight: round((1 - chosen.transitions) / chosen.transitions) } : {}),
    event_weights: Object.fromEntries(
      chosen.typeWeights.map((weight, type) => [eventTypes[type] ?? String(type), weight]),
    ),
    attribute_weight: chosen.gamma,
  };
}

/** A share of .3 gives 2.3333…: digits that nobody chose. */
const round = (value: number) => Number(value.toPrecision(4));
