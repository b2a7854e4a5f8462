import type { outcomeOperations } from '../operations/outcomes.ts';
import { ids, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const day = 24 * 3600_000;

export const outcomeExamples: Examples<keyof typeof outcomeOperations> = {
  getRecommendation: {
    request: { project_id: ids.project, recommendation_id: ids.recommendation },
    response: {
      recommendation_id: ids.recommendation,
      project_id: ids.project,
      question: 'ITEMS_TO_USER',
      ts: morning,
      expires_ts: Math.floor(morning / day) * day + 31 * day,
      user_id: 'anna',
      scenario: 'default',
      scenario_version: null,
      variant: null,
      generator_model_id: ids.model,
      ranker_model_id: null,
      request: { limit: 2 },
      degraded: [],
      results: [
        { item_id: 'beyond-the-tide', position: 1, score: 0.81, rules: [], reasons: null },
        { item_id: 'the-last-orchard', position: 2, score: 0.34, rules: [], reasons: null },
      ],
    },
  },
};
