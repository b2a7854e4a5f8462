import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, Closed, EventType, Id, ItemId, Named, Nullable, UserId } from './fields.ts';
import { FilterQuery, listFields, seenFields, shownFields, trendFields, userFields } from './placement.ts';
import { AttributeValue } from './record.ts';
import { AppliedRule } from './rules.ts';

export const RecommendItems = Closed({
  ...userFields,
  ...listFields,
  ...seenFields,
  ...shownFields,
  model_id: Type.Optional(
    Id(
      'model',
      'The ID of another model of the project, to try it before you deploy it',
      'It recommends alone, without a ranker. The project must be deployed, and the call counts toward its `qps`. The first call may fail with 503 while the model is loaded; a serving process loads it only into memory that the deployed models leave free.',
    ),
  ),
});

export const SimilarItems = Closed({
  item_id: Type.Optional(ItemId),
  item_ids: Type.Optional(
    Type.Array(ItemId, {
      minItems: 1,
      maxItems: limits.basketItems,
      description:
        'The items in a basket, to get items that go with all of them. Pass either `item_id` or `item_ids`.',
    }),
  ),
  ...userFields,
  ...listFields,
  ...seenFields,
  ...shownFields,
});

export const RankItems = Closed({
  item_ids: Type.Array(ItemId, {
    minItems: 1,
    maxItems: limits.rankedItems,
    description: 'The items to rank, in any order. An item that is listed twice counts once.',
  }),
  ...userFields,
  ...shownFields,
});

export const PopularItems = Closed({
  ...trendFields,
  user_id: Type.Optional(UserId),
  ...listFields,
  ...seenFields,
  ...shownFields,
});

export const Reason = Named(
  'Reason',
  Closed({
    kind: Type.Enum(['item', 'attribute', 'popularity', 'boost'], {
      description:
        'What contributed to the score: one of the items in the events of the user, an attribute value of the user, the popularity of the recommended item, or a boost of the request.',
    }),
    id: Nullable(Type.String(), {
      description:
        'For `item`, the `item_id` of an item that the user has an event with. For `attribute`, an attribute value of the user, such as `country=FI`. Null for `popularity` and `boost`.',
    }),
    contribution: Type.Number({ description: 'The part of the score that this reason contributes.' }),
  }),
);

/** An item with the attributes that were asked for. */
const itemWithAttributes = (title: string, what: string) =>
  Named(
    title,
    Type.Intersect(
      [
        Type.Object({ item_id: ItemId }),
        Type.Unsafe<Record<string, Type.Static<typeof AttributeValue>>>({
          type: 'object',
          additionalProperties: AttributeValue,
        }),
      ],
      {
        description: `${what}, with one field per requested attribute. The field is null if the item does not have the attribute.`,
      },
    ),
  );

const RecommendedItem = itemWithAttributes('RecommendedItem', 'The recommended item');
export const FoundItem = itemWithAttributes('FoundItem', 'An item that was found');

const Result = Named(
  'RecommendationResult',
  Closed({
    item: RecommendedItem,
    score: Type.Optional(
      Type.Number({
        description:
          'The score of the item; higher is better. Present with `explain`, and always in the response of `/rank-items-for-user`.',
      }),
    ),
    reasons: Type.Optional(
      Type.Array(Reason, {
        description:
          'Why the item was recommended. The contributions add up to the score. Only present with `explain`.',
      }),
    ),
    rules: Type.Optional(
      Type.Array(AppliedRule, {
        description:
          "The request's rules that affected the item. Only present with `explain`, if there are any.",
      }),
    ),
    is_new: Type.Optional(
      Type.Boolean({
        description: `Whether the item is new: it had fewer than ${limits.newItemEvents} events in the training, or was added after it. Only present with \`explain\`.`,
      }),
    ),
  }),
);

/** The fields of every response with recommendations. */
const answerFields = {
  recommendation_id: Id('recommendation', 'The ID of this response'),
  attributes: Type.Array(AttributeName, { description: 'The requested attributes.' }),
  results: Type.Array(Result, { description: 'The recommended items, best first.' }),
  degraded: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What is missing from this response: `history` (the events of the user could not be read in time), `ranker` (the ranker model failed), `trend` (the events could not be counted in time), `variant` (the model of the variant could not be used, so the deployed one answered) or `experiment` (the experiment could not be read, so the response is not part of it). Empty if nothing was missing.',
    }),
  ),
  experiment: Type.Optional(
    Named(
      'AssignedVariant',
      Closed(
        {
          experiment_id: Id('experiment'),
          variant: Type.String({ description: 'The name of the variant.' }),
        },
        {
          description:
            'The experiment that the call was part of. Absent if it was not part of one: no experiment runs, the call has no `user_id` or names a `model_id`, or the user is beyond the shares of the variants.',
        },
      ),
    ),
  ),
  message: Type.Optional(
    Nullable(Type.String(), {
      description: 'How the response differs from what was requested. Null if it does not.',
    }),
  ),
};

/** The further fields of a response that is one page of a list. */
const pageFields = {
  limit: Type.Integer({
    minimum: 1,
    description: `The \`limit\` of the request. \`results\` has at most ${limits.recommendMax} items even if \`limit\` is larger.`,
  }),
  filter_query: FilterQuery,
  cursor: Type.Optional(
    Type.String({
      description: `Pass it as \`cursor\` to get the next page. Absent on the last page, and once ${limits.pagedItems.toLocaleString('en')} items have been returned.`,
    }),
  ),
  shortfall: Type.Optional(
    Nullable(Type.String(), {
      description: 'Why there are fewer results than `limit`. Null otherwise.',
    }),
  ),
};

const AnsweredUser = Nullable(UserId, {
  description: 'The user of the call. Null for a call without `user_id`.',
});

export const Recommendation = Named(
  'Recommendation',
  Closed({ user_id: AnsweredUser, ...pageFields, ...answerFields }),
);

export const Similar = Named(
  'SimilarItems',
  Closed({
    item_ids: Type.Array(ItemId, { description: 'The items of the request, each once.' }),
    user_id: AnsweredUser,
    ...pageFields,
    ...answerFields,
  }),
);

export const Ranking = Named(
  'Ranking',
  Closed({
    user_id: AnsweredUser,
    ...answerFields,
    unknown_item_ids: Type.Array(ItemId, {
      description:
        'The items that have no record, or that were added after the training and have no attributes that the model knows. They come last in `results`, with a `score` of 0, in the order of the request.',
    }),
  }),
);

export const Popular = Named(
  'PopularItems',
  Closed({
    user_id: AnsweredUser,
    window_hours: Type.Integer({ description: 'The length of the window, in hours before the call.' }),
    event_type: EventType('The type of the events that were counted.'),
    ...pageFields,
    ...answerFields,
  }),
);
