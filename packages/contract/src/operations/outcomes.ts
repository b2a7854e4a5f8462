import { GivenRecommendation, RecommendationRef } from '../schemas/outcome.ts';
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
} as const satisfies Record<string, Operation>;
