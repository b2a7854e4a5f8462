/** What a response has that tells whether it led to an event. */
export interface GivenAnswer {
  readonly recommendation_id: string;
  readonly results: readonly { readonly item: { readonly item_id: string } }[];
}

/**
 * Adds to an event the `recommendation_id` of the response that led to it: the first of `answers` that contains the item. The event
 * is returned as it is if none does, or if it names a response already.
 */
export function withRecommendation<
  E extends { readonly item_id?: string; readonly recommendation_id?: string },
>(event: E, ...answers: readonly GivenAnswer[]): E | (E & { recommendation_id: string }) {
  if (event.recommendation_id !== undefined) return event;
  const found = answers.find(({ results }) => results.some(({ item }) => item.item_id === event.item_id));
  return found === undefined ? event : { ...event, recommendation_id: found.recommendation_id };
}
