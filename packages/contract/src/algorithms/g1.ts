import Type from 'typebox';
import { Closed, EventType, MapOf, Named } from '../fields.ts';
import { limits } from '../limits.ts';
import type { AlgorithmDefinition } from './definition.ts';

export const g1 = {
  type: 'G1',
  description:
    "Learns from the events of all users which items go together and which follow each other, and recommends what fits each user's own events. The default choice.",
  parameters: Closed({
    neighbors: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'The maximum number of related items that the model keeps per item.',
      }),
    ),
    regularization: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1e9,
        description: 'The regularization strength, the same for every item.',
      }),
    ),
    popularity_regularization: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1e6,
        description:
          'Additional regularization per item, in proportion to how often the item occurs in events.',
      }),
    ),
    activity_exponent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 2,
        description: 'How strongly users with many events are down-weighted in training.',
      }),
    ),
    popularity_scaling: Type.Optional(
      Type.Number({
        minimum: -2,
        maximum: 2,
        description: 'How strongly rare items are boosted in the scores.',
      }),
    ),
    recency: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10,
        description:
          "How strongly a user's older events are down-weighted when items are scored for the user.",
      }),
    ),
    taste_weight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1e6,
        description:
          'The weight of items that go together (long-term taste), relative to items that follow each other (transitions), which have the weight 1.',
      }),
    ),
    event_weights: Type.Optional(
      Named(
        'EventWeights',
        MapOf(Type.Number({ minimum: 0, maximum: 1e6 }), {
          maxProperties: limits.attributeNames,
          propertyNames: EventType(),
          description:
            'The weight of each event type. The target event type has the weight 1 if it is not listed.',
        }),
      ),
    ),
    attribute_weight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1e6,
        description:
          'The weight of item attributes for items without events, relative to what the model learned from events. 0 leaves item attributes out.',
      }),
    ),
  }),
} as const satisfies AlgorithmDefinition;
