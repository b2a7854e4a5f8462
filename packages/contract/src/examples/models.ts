import type { modelOperations } from '../operations/models.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { ExampleResponse, Examples } from './example.ts';
import { projectExample } from './projects.ts';

const interval = (value: number, margin: number) => ({ value, low: value - margin, high: value + margin });
const modelRef = { project_id: ids.project, model_id: ids.model };

const model: ExampleResponse<'getModel'> = {
  ...modelRef,
  name: 'Monday',
  algorithm_type: 'G1',
  algorithm_parameters: {},
  created_ts: morning + minute,
  training: {
    chosen_parameters: {
      neighbors: 200,
      regularization: 20,
      recency: 0.5,
      event_weights: { buy: 1, view: 0.2 },
    },
    held_out: 'latest',
    metrics: {
      validation_users: 2960,
      test_users: 1480,
      model: {
        users: 1480,
        recall_at_20: interval(0.6, 0.021),
        ndcg_at_20: interval(0.41, 0.018),
        coverage: interval(0.92, 0),
      },
      popularity: {
        users: 1480,
        recall_at_20: interval(0.14, 0.015),
        ndcg_at_20: interval(0.075, 0.009),
        coverage: interval(0.03, 0),
      },
      cold_users: null,
      cold_items: { items: 3, recall_at_20: interval(0.25, 0.25) },
    },
    data: {
      events: 37_595,
      target_events: 8120,
      users: 4870,
      items: 1200,
      items_without_record: 4,
      event_types: ['buy', 'view'],
      newest_event_ts: morning - minute,
    },
    left_out: [{ what: 'items without a record', count: 4, why: 'they can never be recommended' }],
    usage_evidence: 5,
    seconds: { read: 0.4, search: 3.1, fit: 0.5, write: 0.1 },
    file_bytes: 2_411_724,
  },
};

export const modelExamples: Examples<keyof typeof modelOperations> = {
  getModel: { request: modelRef, response: model },
  listModels: {
    request: { project_id: ids.project },
    response: { models: [model], next_page_token: null, message: null },
  },
  updateModel: {
    request: { ...modelRef, name: 'Monday, with views' },
    response: { ...model, name: 'Monday, with views' },
  },
  deleteModel: { request: modelRef, response: model },
  shutdownDeployment: { request: { project_id: ids.project }, response: { project_id: ids.project } },
  rollbackDeployment: { request: { project_id: ids.project }, response: projectExample },
};
