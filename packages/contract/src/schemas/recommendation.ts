import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, Closed, DeveloperId, Id, Named, Nullable } from './fields.ts';
import { AttributeValue } from './record.ts';

const FilterQuery = Nullable(Type.String({ maxLength: limits.filterQueryLength }), {
  default: null,
  description: 'A CEL expression over `item`, as `item.price < 20.0 && "Comedy" in item.genres`.',
});

export const RecommendItems = Closed({
  user_id: DeveloperId,
  attributes: Type.Optional(
    Type.Array(AttributeName, {
      maxItems: limits.requestedAttributes,
      default: [],
      description: 'Item attributes to return.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.recommendMax, default: limits.recommendDefault }),
  ),
  filter_query: Type.Optional(FilterQuery),
  exclude_seen: Type.Optional(
    Type.Boolean({ default: true, description: 'Leave out items the user has a target event with.' }),
  ),
  explain: Type.Optional(Type.Boolean({ default: false, description: 'Add score and reasons.' })),
  project_id: Type.Optional(Id('project')),
});

const Reason = Named(
  'Reason',
  Closed({
    kind: Type.Enum(['item', 'attribute', 'popularity']),
    id: Nullable(Type.String()),
    contribution: Type.Number(),
  }),
);

const RecommendedItem = Named(
  'RecommendedItem',
  Type.Intersect([
    Type.Object({ item_id: DeveloperId }),
    Type.Unsafe<Record<string, Type.Static<typeof AttributeValue>>>({
      type: 'object',
      additionalProperties: AttributeValue,
    }),
  ]),
);

const Result = Named(
  'RecommendationResult',
  Closed({
    item: RecommendedItem,
    score: Type.Optional(Type.Number()),
    reasons: Type.Optional(Type.Array(Reason, { description: 'The parts add up to the score.' })),
  }),
);

export const Recommendation = Named(
  'Recommendation',
  Closed({
    user_id: DeveloperId,
    limit: Type.Integer({ minimum: 1, maximum: limits.recommendMax }),
    attributes: Type.Array(AttributeName),
    filter_query: FilterQuery,
    results: Type.Array(Result),
    shortfall: Type.Optional(
      Nullable(Type.String(), { description: 'Why there are fewer results than `limit`.' }),
    ),
    degraded: Type.Optional(
      Type.Array(Type.String(), { description: 'What had to be done without; empty when all went well.' }),
    ),
  }),
);
