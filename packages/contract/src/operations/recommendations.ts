import { limits } from '../limits.ts';
import {
  Popular,
  PopularItems,
  RankItems,
  Ranking,
  Recommendation,
  RecommendItems,
  Similar,
  SimilarItems,
} from '../schemas/recommendation.ts';
import type { Operation } from './operation.ts';

/** What all recommendation operations have in common. */
const question = {
  concept: 'Recommendation',
  maxBodyBytes: limits.mediumBodyBytes,
  errors: ['NOT_FOUND', 'PROJECT_NOT_DEPLOYED', 'QPS_EXCEEDED'],
} as const;

export const recommendationOperations = {
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
      'Returns all items that you pass, best first, with scores. Use it for search results, for example, or for a list that an editor made. Items that the user has seen are ranked like the others. If a ranker model is deployed, it alone decides the order and the scores. `explain` applies to the best 200 items. Pass `user_id`, `context_items` or both.',
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
} as const satisfies Record<string, Operation>;
