import type { Question } from '../../use/scenarios.ts';

/** In words of the shop. */
export const questionLabels: Readonly<Record<Question, string>> = {
  ITEMS_TO_USER: 'items for a user',
  ITEMS_TO_ITEM: 'items similar to an item',
  RANKING: 'an order of your items',
  POPULAR: 'what is popular',
};
