import { GivenRecommendation, Outcomes, OutcomesQuery, RecommendationRef } from '../schemas/outcome.ts';
import type { Operation } from './operation.ts';

export const outcomeOperations = {
  getRecommendation: {
    concept: 'Outcomes',
    summary: 'Get a response that was given',
    description:
      'Returns what a recommendation call answered, and why: the items with their scores, the models, the scenario and the rules. Responses can be read a few seconds after they were given, and are kept for 30 days (`DECISION_LOG_DAYS`). Attributes of items are not kept.',
    request: RecommendationRef,
    response: GivenRecommendation,
    errors: ['NOT_FOUND'],
  },
  getOutcomes: {
    concept: 'Outcomes',
    summary: 'Get what followed the recommendations',
    description:
      'Returns, by day, scenario, model and variant, how many responses were followed by events on the recommended items. An event with `recommendation_id` belongs to that response; any other to the last response that recommended the item to the user within `attribution_hours` of the project. Events are attributed every few minutes, late ones included. Without `since_ts`, returns the last 30 days.',
    request: OutcomesQuery,
    response: Outcomes,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
