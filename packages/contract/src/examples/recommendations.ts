import type { recommendationOperations } from '../operations/recommendations.ts';
import { ids } from './bookshop.ts';
import type { Examples } from './example.ts';

const tide = { item_id: 'beyond-the-tide', title: 'Beyond the Tide' };
const orchard = { item_id: 'the-last-orchard', title: 'The Last Orchard' };

export const recommendationExamples: Examples<keyof typeof recommendationOperations> = {
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
      degraded: [],
      message: null,
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
      degraded: [],
      message: null,
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
      degraded: [],
      message: null,
    },
  },
};
