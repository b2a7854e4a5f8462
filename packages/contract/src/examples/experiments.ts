import type { experimentOperations } from '../operations/experiments.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { ExampleResponse, Examples } from './example.ts';

const ref = { project_id: ids.project, experiment_id: ids.experiment };
const [day, hour] = [24 * 60 * minute, 60 * minute];

const running: ExampleResponse<'createExperiment'> = {
  ...ref,
  name: 'new model on the home page',
  scenario: 'home',
  variants: [
    { name: 'control', share: 0.5, model_id: null, ranker_model_id: null, scenario_version: null },
    { name: 'new model', share: 0.5, model_id: ids.model, ranker_model_id: null, scenario_version: null },
  ],
  metric: 'CONVERTED',
  window_hours: 24,
  state: 'RUNNING',
  created_ts: morning,
  stopped_ts: null,
  promoted: null,
  verdict: 'UNDECIDED',
  decided_ts: null,
  winner: null,
};

const decided = {
  ...running,
  verdict: 'VARIANT_BETTER' as const,
  decided_ts: morning + 9 * day,
  winner: 'new model',
};

const noDifference = { difference: null, low: null, high: null };

const results: ExampleResponse<'getExperiment'> = {
  ...decided,
  measured_ts: morning + 9 * day + hour,
  message:
    '`new model` is better than `control`: 22.5% instead of 20.2% of users had a target event. The difference is between 0.1 and 4.4 percentage points.',
  sample_ratio: { p_value: 1, is_mismatch: false },
  results: [
    {
      name: 'control',
      users: 12_040,
      answers: 31_207,
      fallbacks: 0,
      measured_users: 11_480,
      clicked: { total: 4_592, rate: 0.4, ...noDifference },
      converted: { total: 2_319, rate: 0.202, ...noDifference },
      target_events: { total: 2_870, rate: 0.25, ...noDifference },
      value: { total: 41_615, rate: 3.625, ...noDifference },
      verdict: 'CONTROL',
    },
    {
      name: 'new model',
      users: 11_982,
      answers: 31_416,
      fallbacks: 3,
      measured_users: 11_395,
      clicked: { total: 5_014, rate: 0.44, difference: 0.04, low: 0.014, high: 0.066 },
      converted: { total: 2_564, rate: 0.225, difference: 0.023, low: 0.001, high: 0.044 },
      target_events: { total: 3_190, rate: 0.28, difference: 0.03, low: -0.002, high: 0.062 },
      value: { total: 46_034, rate: 4.04, difference: 0.415, low: -0.21, high: 1.04 },
      verdict: 'BETTER',
    },
  ],
  days: [
    {
      day: '2026-01-14',
      variants: [
        { name: 'control', users: 12_040, measured_users: 11_480, rate: 0.202, ...noDifference },
        {
          name: 'new model',
          users: 11_982,
          measured_users: 11_395,
          rate: 0.225,
          difference: 0.023,
          low: 0.001,
          high: 0.044,
        },
      ],
    },
  ],
};

export const experimentExamples: Examples<keyof typeof experimentOperations> = {
  createExperiment: {
    request: {
      project_id: ids.project,
      name: running.name,
      scenario: running.scenario,
      variants: [{ name: 'control' }, { name: 'new model', model_id: ids.model }],
    },
    response: running,
  },
  getExperiment: { request: ref, response: results },
  listExperiments: {
    request: { project_id: ids.project },
    response: { experiments: [decided], next_page_token: null, message: null },
  },
  stopExperiment: {
    request: { ...ref, promote: 'new model' },
    response: { ...decided, state: 'STOPPED', stopped_ts: morning + 10 * day, promoted: 'new model' },
  },
};
