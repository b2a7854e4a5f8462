import Type from 'typebox';
import { ids } from '../bookshop.ts';
import {
  AttributeName,
  Closed,
  EventType,
  Id,
  ItemId,
  Named,
  NamedObject,
  Natural,
  Nullable,
  UserId,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { DegradedPart, MessageCode, ShortfallCode } from './answer-codes.ts';
import {
  AppliedRule,
  FilterQuery,
  listFields,
  ruleFields,
  seenFields,
  shownFields,
  trendFields,
  userFields,
} from './placements.ts';
import { AttributeValue } from './records.ts';

const RecommendItems = Closed({
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

const SimilarItems = Closed({
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

const RankItems = Closed({
  item_ids: Type.Array(ItemId, {
    minItems: 1,
    maxItems: limits.rankedItems,
    description: 'The items to rank, in any order. An item that is listed twice counts once.',
  }),
  filter_query: Type.Optional(FilterQuery),
  boosts: ruleFields.boosts,
  pins: ruleFields.pins,
  ...userFields,
  ...shownFields,
});

const PopularItems = Closed({
  ...trendFields,
  user_id: Type.Optional(UserId),
  ...listFields,
  ...seenFields,
  ...shownFields,
});

export const Reason = NamedObject('Reason', {
  kind: Type.Enum(['item', 'attribute', 'popularity', 'boost'], {
    description:
      'What contributed to the score: one of the items in the events of the user, an attribute value of the user, the popularity of the recommended item, or a boost of the request.',
  }),
  id: Nullable(Type.String(), {
    description:
      'For `item`, the `item_id` of an item that the user has an event with. For `attribute`, an attribute value of the user, such as `country=FI`. Null for `popularity` and `boost`.',
  }),
  contribution: Type.Number({ description: 'The part of the score that this reason contributes.' }),
});

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

const Result = NamedObject('RecommendationResult', {
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
});

/** The fields of every response with recommendations. */
const answerFields = {
  recommendation_id: Id('recommendation', 'The ID of this response'),
  attributes: Type.Array(AttributeName, { description: 'The requested attributes.' }),
  results: Type.Array(Result, { description: 'The recommended items, best first.' }),
  degraded: Type.Optional(
    Type.Array(DegradedPart, {
      description: 'What is missing from this response. Empty if nothing was missing.',
    }),
  ),
  experiment: Type.Optional(
    NamedObject(
      'AssignedVariant',
      {
        experiment_id: Id('experiment'),
        variant: Type.String({ description: 'The name of the variant.' }),
      },
      'The experiment that the call was part of. Absent if it was not part of one: no experiment runs, the call has no `user_id` or names a `model_id`, or the user is beyond the shares of the variants.',
    ),
  ),
  message: Type.Optional(
    Nullable(Type.String(), {
      description: 'How the response differs from what was requested. Null if it does not.',
    }),
  ),
  message_code: Type.Optional(
    Nullable(MessageCode, {
      description: 'The code of `message`; of several sentences, that of the first. Null without one.',
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
    Nullable(Type.String(), { description: 'Why there are fewer results than `limit`. Null otherwise.' }),
  ),
  shortfall_code: Type.Optional(
    Nullable(ShortfallCode, {
      description: 'The code of `shortfall`. Null without one.',
    }),
  ),
};

const AnsweredUser = Nullable(UserId, {
  description: 'The user of the call. Null for a call without `user_id`.',
});

const Recommendation = NamedObject('Recommendation', {
  user_id: AnsweredUser,
  ...pageFields,
  ...answerFields,
});

const Similar = NamedObject('SimilarItems', {
  item_ids: Type.Array(ItemId, { description: 'The items of the request, each once.' }),
  user_id: AnsweredUser,
  ...pageFields,
  ...answerFields,
});

const Ranking = NamedObject('Ranking', {
  user_id: AnsweredUser,
  ...answerFields,
  unknown_item_ids: Type.Array(ItemId, {
    description:
      'The items that have no record, or that were added after the training and have no attributes that the model knows. They come last in `results`, with a `score` of 0, in the order of the request.',
  }),
  left_out: Natural(
    'The number of listed items that are not in `results` because of `filter_query`. Items without a record never match a filter.',
  ),
});

const Popular = NamedObject('PopularItems', {
  user_id: AnsweredUser,
  window_hours: Type.Integer({ description: 'The length of the window, in hours before the call.' }),
  event_type: EventType('The type of the events that were counted.'),
  ...pageFields,
  ...answerFields,
});

/** What all recommendation operations have in common. */
const question = {
  maxBodyBytes: limits.mediumBodyBytes,
  errors: ['NOT_FOUND', 'PROJECT_NOT_DEPLOYED', 'QPS_EXCEEDED'],
} as const;

const operations = {
  recommendItemsToUser: {
    ...question,
    summary: 'Recommend items to a user',
    description:
      "Recommendations reflect everything written before the call, including the user's latest events and changed or deleted items. Items for which the user has a target event are excluded unless `exclude_seen` is false. For a user without events, they are based on the attributes of the user and on popularity. Pass `user_id`, `context_items` or both.",
    request: RecommendItems,
    response: Recommendation,
    aliases: ['/projects/{project_id}/recommend-items-to-user', '/projects/{project_id}'],
  },
  recommendItemsToItem: {
    ...question,
    summary: 'Recommend items that are similar to an item or go with a basket',
    description:
      'Pass either `item_id` or `item_ids`. Items are similar if the same users interact with them. The response never contains the items that you pass. With `user_id` or `context_items`, the order also depends on the taste of the user. If the deployed model is a `POPULAR` model, or knows none of the items that you pass, the response contains recommendations for the user instead (popular items if you pass neither `user_id` nor `context_items`), and `message` says so.',
    request: SimilarItems,
    response: Similar,
    aliases: ['/projects/{project_id}/recommend-items-to-item'],
  },
  rankItemsForUser: {
    ...question,
    summary: 'Rank a list of items for a user',
    description:
      'Returns the items that you pass, best first, with scores. Use it for search results, for example, or for a list that an editor made. Items that the user has seen are ranked like the others, and a `filter_query` leaves out those that do not match. A pin of an item that is not in the list has no effect. If a ranker model is deployed, it alone decides the order and the scores. `explain` applies to the best 200 items. Pass `user_id`, `context_items` or both.',
    request: RankItems,
    response: Ranking,
    aliases: ['/projects/{project_id}/rank-items-for-user'],
  },
  recommendPopularItems: {
    ...question,
    summary: 'Recommend what is popular now',
    description:
      'Returns the items with the most events in a window that ends now, then the other items by their popularity at training time. While calls arrive, the service counts the events about once a minute; the first response after a pause uses the last counts. For hours with more than 600 events (further back, for 6 hours or days), the counts are estimates. With `user_id`, items that the user has seen are left out.',
    request: PopularItems,
    response: Popular,
    aliases: ['/projects/{project_id}/recommend-popular-items'],
  },
} as const satisfies Record<string, OperationFields>;

const tide = { item_id: 'beyond-the-tide', title: 'Beyond the Tide' };
const orchard = { item_id: 'the-last-orchard', title: 'The Last Orchard' };

export const recommendationOperations = defineOperations('Recommendation', operations, {
  recommendItemsToUser: {
    request: { user_id: 'anna', attributes: ['title', 'price'], limit: 2 },
    otherRequests: [
      {
        user_id: 'anna',
        attributes: ['title'],
        limit: 2,
        filter_query: 'item.price < 20.0 && "Crime" in item.genres',
        explain: true,
        project_id: ids.project,
      },
      {
        context_items: ['beyond-the-tide', 'salt-and-ink'],
        exclude_item_ids: ['the-last-orchard'],
        limit: 2,
      },
    ],
    response: {
      recommendation_id: ids.recommendation,
      user_id: 'anna',
      limit: 2,
      attributes: ['title', 'price'],
      filter_query: null,
      results: [
        { item: { item_id: 'beyond-the-tide', title: 'Beyond the Tide', price: 12.5 } },
        { item: { item_id: 'the-last-orchard', title: 'The Last Orchard', price: 9.99 } },
      ],
      cursor: 'AQe8m3R0pXn5v2yVw4sXzQh1k7tL9oJcYbN2aGdFm5ER',
      shortfall: null,
      shortfall_code: null,
      degraded: [],
    },
  },
  recommendItemsToItem: {
    request: { item_id: 'salt-and-ink', attributes: ['title'], limit: 2 },
    otherRequests: [{ item_ids: ['salt-and-ink', 'beyond-the-tide'], user_id: 'anna', limit: 2 }],
    response: {
      recommendation_id: ids.recommendation,
      item_ids: ['salt-and-ink'],
      user_id: null,
      limit: 2,
      attributes: ['title'],
      filter_query: null,
      results: [{ item: tide }, { item: orchard }],
      cursor: 'AQe8m3R0pXn5v2yVw4sXzQh1k7tL9oJcYbN2aGdFm5ER',
      shortfall: null,
      shortfall_code: null,
      degraded: [],
      message: null,
      message_code: null,
    },
  },
  rankItemsForUser: {
    request: {
      user_id: 'anna',
      item_ids: ['the-last-orchard', 'beyond-the-tide', 'no-such-book'],
      attributes: ['title'],
    },
    response: {
      recommendation_id: ids.recommendation,
      user_id: 'anna',
      attributes: ['title'],
      results: [
        { item: tide, score: 0.81 },
        { item: orchard, score: 0.34 },
        { item: { item_id: 'no-such-book', title: null }, score: 0 },
      ],
      unknown_item_ids: ['no-such-book'],
      left_out: 0,
      degraded: [],
      message: null,
      message_code: null,
    },
  },
  recommendPopularItems: {
    request: { limit: 2, attributes: ['title'] },
    otherRequests: [
      { window_hours: 24, event_type: 'view', attribute: 'genres', value: 'Crime', user_id: 'anna' },
    ],
    response: {
      recommendation_id: ids.recommendation,
      user_id: null,
      window_hours: 72,
      event_type: 'buy',
      limit: 2,
      attributes: ['title'],
      filter_query: null,
      results: [{ item: tide }, { item: orchard }],
      cursor: 'AQe8m3R0pXn5v2yVw4sXzQh1k7tL9oJcYbN2aGdFm5ER',
      shortfall: null,
      shortfall_code: null,
      degraded: [],
      message: null,
      message_code: null,
    },
  },
});
