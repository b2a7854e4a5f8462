import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const day = 24 * 60 * minute;
const today = morning - (morning % day);

const calls = {
  calls: 18_204,
  client_errors: 3,
  refused: 0,
  server_errors: 1,
  degraded: 2,
  p50_ms: 4.1,
  p99_ms: 17.6,
};

export const usageExamples: Examples<'getProjectStatistics' | 'getUsage'> = {
  getProjectStatistics: {
    request: { project_id: ids.project, since_ts: today },
    response: {
      project_id: ids.project,
      interval: 'DAY',
      since_ts: today,
      until_ts: morning,
      total: calls,
      calls: [{ ts: today, ...calls }],
      events: [
        { ts: today, event_type: 'view', events: 4120 },
        { ts: today, event_type: 'buy', events: 611 },
      ],
      records: [{ ts: today, users: 5000, items: 1200, events: 37_595 }],
    },
  },
  getUsage: {
    request: { since_ts: today },
    response: {
      since_ts: today,
      until_ts: morning,
      plan: 'default',
      resources: [
        { resource: 'EVENT_SHARDS', used: 1, limit: 10_000 },
        { resource: 'TRAINING_HOURS', used: 0.4, limit: null },
      ],
      calls: [
        {
          project_id: ids.project,
          caller_type: 'API_KEY',
          caller_id: 'tg_main_4dQ8sT2vX6yZ9aB3cE7fG1hJ',
          recommendations: 18_204,
          other_calls: 12,
          errors: 4,
        },
      ],
    },
  },
};
