import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const ref = { project_id: ids.project, name: 'home' };
const settings = {
  limit: 12,
  attributes: ['title', 'price'],
  filter_query: 'item.price < 50.0',
  diversity: { attribute: 'genres', max_per_value: 3 },
};
const scenario = {
  ...ref,
  question: 'ITEMS_TO_USER' as const,
  version: 1,
  created_ts: morning,
  updated_ts: morning,
  ...settings,
};
const boosts = [{ if: 'item.year >= 2025', factor: 1.5 }];

export const scenarioExamples: Examples<
  'createScenario' | 'getScenario' | 'listScenarios' | 'updateScenario' | 'deleteScenario'
> = {
  createScenario: { request: { ...ref, question: 'ITEMS_TO_USER', ...settings }, response: scenario },
  getScenario: { request: ref, response: scenario },
  listScenarios: {
    request: { project_id: ids.project },
    response: { scenarios: [scenario], next_page_token: null, message: null },
  },
  updateScenario: {
    request: { ...ref, ...settings, boosts },
    response: { ...scenario, version: 2, updated_ts: morning + minute, boosts },
  },
  deleteScenario: { request: ref, response: scenario },
};
