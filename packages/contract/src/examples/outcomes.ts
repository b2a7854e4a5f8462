import type { outcomeOperations } from '../operations/outcomes.ts';
import { ids, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const day = 24 * 3600_000;

const outcome = {
  scenario: 'default',
  model_id: ids.model,
  experiment_id: null,
  variant: null,
  answers: 1000,
  clicked: { total: 120, rate: 0.12, low: 0.1, high: 0.142 },
  converted: { total: 40, rate: 0.04, low: 0.029, high: 0.054 },
  target_events: { total: 44, rate: 0.044, low: 0.031, high: 0.058 },
  value: { total: 44, rate: 0.044, low: 0.031, high: 0.058 },
};
const organic = {
  visits: 500,
  converted: { total: 15, rate: 0.03, low: 0.018, high: 0.049 },
  target_events: { total: 16, rate: 0.032, low: 0.018, high: 0.052 },
  value: { total: 16, rate: 0.032, low: 0.018, high: 0.052 },
};

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
      is_trial: false,
      scenario: 'default',
      scenario_version: null,
      experiment_id: null,
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
  getOutcomes: {
    request: { project_id: ids.project, scenario: 'default' },
    response: {
      project_id: ids.project,
      attribution_hours: 24,
      attributed_ts: morning,
      days: [{ day: '2026-01-05', ...outcome }],
      totals: [outcome],
      without_recommendation: { days: [{ day: '2026-01-05', ...organic }], total: organic },
    },
  },
};
