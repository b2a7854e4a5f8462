import Type from 'typebox';
import { ids, morning } from '../bookshop.ts';
import {
  Closed,
  Day,
  Id,
  ItemId,
  MapOf,
  Named,
  NamedObject,
  Natural,
  Nullable,
  NullableTs,
  Ts,
  UserId,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { DegradedPart } from './answer-codes.ts';
import { AppliedRule, ScenarioName } from './placements.ts';
import { Reason } from './recommendations.ts';
import { Question } from './scenarios.ts';

const RecommendationRef = Closed({
  project_id: Id('project'),
  recommendation_id: Id('recommendation', 'The ID of the response'),
});

const GivenItem = NamedObject('GivenItem', {
  item_id: ItemId,
  position: Type.Integer({ minimum: 1, description: 'The position in the response, starting at 1.' }),
  score: Type.Number({ description: 'The score of the item; higher is better.' }),
  rules: Type.Array(AppliedRule, { description: 'The rules of the call that affected the item.' }),
  reasons: Nullable(Type.Array(Reason), {
    description:
      'Why the item was recommended, as the response said it. Null if the call did not set `explain`: reasons depend on what the user had done until then, so they are kept, not computed again.',
  }),
});

const ExperimentId = Nullable(Id('experiment'), {
  description: 'The ID of the experiment. Null for calls that were not part of one.',
});

const GivenRecommendation = NamedObject('GivenRecommendation', {
  recommendation_id: Id('recommendation', 'The ID of the response'),
  project_id: Id('project'),
  question: Question,
  ts: Ts('When the response was given'),
  expires_ts: Ts('When the record of the response is removed'),
  user_id: Nullable(UserId, { description: 'The user of the call. Null for a call without `user_id`.' }),
  is_trial: Type.Boolean({
    description: 'Whether a person tried the call out in the console. It has no outcomes then.',
  }),
  scenario: Type.String({ description: 'The scenario of the call; `default` for a call without one.' }),
  scenario_version: Nullable(Type.Integer({ minimum: 1 }), {
    description: 'The version of the scenario. Null for a call without one.',
  }),
  experiment_id: ExperimentId,
  variant: Nullable(Type.String(), {
    description: 'The variant of the experiment that the call was part of. Null if there was none.',
  }),
  generator_model_id: Nullable(Id('model'), {
    description: 'The ID of the model that generated the recommendations.',
  }),
  ranker_model_id: Nullable(Id('model'), {
    description: 'The ID of the model that ordered them. Null if there was none.',
  }),
  request: Nullable(Named('GivenRequest', MapOf(Type.Unknown())), {
    description:
      'The fields of the call that decided which items it returned, including those of its scenario. Null if they were longer than 8,192 characters.',
  }),
  degraded: Type.Array(DegradedPart, {
    description: 'What was missing from the response.',
  }),
  results: Type.Array(GivenItem, { description: 'The recommended items, best first.' }),
});

const OutcomesQuery = Closed({
  project_id: Id('project'),
  scenario: Type.Optional(ScenarioName),
  since_ts: Type.Optional(Ts('Return only days that end after this time')),
  until_ts: Type.Optional(Ts('Return only days that start before this time')),
});

const measureFields = (unit: 'response' | 'visit') => ({
  total: Type.Number({ description: 'The number or the sum.' }),
  rate: Nullable(Type.Number(), { description: `The total per ${unit}. Null if there are none.` }),
  low: Nullable(Type.Number(), {
    description:
      'The lower end of the 95% interval of the rate. It takes into account that what one user does is alike. Null if it cannot be estimated.',
  }),
  high: Nullable(Type.Number(), { description: 'The upper end of the interval.' }),
});

const Measure = (description: string) =>
  NamedObject('OutcomeMeasure', measureFields('response'), description);
const VisitMeasure = (description: string) =>
  NamedObject('VisitMeasure', measureFields('visit'), description);

const outcomeFields = {
  scenario: Type.String({ description: 'The scenario of the calls; `default` for calls without one.' }),
  model_id: Nullable(Id('model'), { description: 'The ID of the model that generated the recommendations.' }),
  experiment_id: ExperimentId,
  variant: Nullable(Type.String(), {
    description: 'The variant of the experiment. Null for calls that were not part of one.',
  }),
  answers: Natural('The number of responses.'),
  clicked: Measure('The responses with an event on a recommended item.'),
  converted: Measure('The responses with a target event.'),
  target_events: Measure('The target events.'),
  value: Measure('The sum of `event_value` of the target events.'),
};

const visitFields = {
  visits: Natural('The number of visits: a user and an item, per day.'),
  converted: VisitMeasure('The visits with a target event.'),
  target_events: VisitMeasure('The target events.'),
  value: VisitMeasure('The sum of `event_value` of the target events.'),
};

const Outcome = NamedObject('Outcome', outcomeFields);
const DailyOutcome = NamedObject('DailyOutcome', { day: Day, ...outcomeFields });
const Visits = NamedObject('VisitOutcome', visitFields, 'The same, over all days of the response.');
const DailyVisits = NamedObject('DailyVisitOutcome', { day: Day, ...visitFields });
const visitDays = {
  days: Type.Array(DailyVisits, { description: 'By day of the event, newest first.' }),
  total: Visits,
};

const Outcomes = NamedObject('Outcomes', {
  project_id: Id('project'),
  attribution_hours: Type.Integer({
    minimum: 1,
    description: 'How long after a response an event counts as its result.',
  }),
  attributed_ts: NullableTs(
    'When events were last attributed; later ones are not included yet',
    'Null before the first time.',
  ),
  days: Type.Array(DailyOutcome, {
    description: `The outcomes of the responses of each day, newest first: \`clicked\` are the responses with an event on a recommended item, \`converted\` those with a target event, \`target_events\` and \`value\` the target events and the sum of their \`event_value\`. At most ${limits.outcomeDays} entries.`,
  }),
  totals: Type.Array(Outcome, { description: 'The same, over all days of the response.' }),
  with_recommendation: Closed(visitDays, {
    description:
      'What users did with items that a response had recommended to them, in all scenarios, per visit: compare it with `without_recommendation`, which has the same unit.',
    title: 'OutcomesWithRecommendation',
  }),
  without_recommendation: Closed(visitDays, {
    description: 'What users did with items that no response led them to, per visit.',
    title: 'OutcomesWithoutRecommendation',
  }),
});

const operations = {
  getRecommendation: {
    summary: 'Get a response that was given',
    description:
      'Returns what a recommendation call answered, and why: the items with their scores, the models, the scenario and the rules. Responses can be read a few seconds after they were given, and are kept for 30 days (`DECISION_LOG_DAYS`). Attributes of items are not kept.',
    request: RecommendationRef,
    response: GivenRecommendation,
    errors: ['NOT_FOUND'],
  },
  getOutcomes: {
    summary: 'Get what followed the recommendations',
    description:
      'Returns, by day, scenario, model and variant, how many responses were followed by events on the recommended items; and beside it, per visit, what users did with and without a recommendation. An event belongs to a response that recommended the item to the user at most `attribution_hours` of the project before: to the one that its `recommendation_id` names, or else to the last one. A response without a user belongs to everybody. Events are attributed every few minutes, late ones included. Without `since_ts`, returns the last 30 days.',
    request: OutcomesQuery,
    response: Outcomes,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

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
const visits = {
  visits: 500,
  converted: { total: 15, rate: 0.03, low: 0.018, high: 0.049 },
  target_events: { total: 16, rate: 0.032, low: 0.018, high: 0.052 },
  value: { total: 16, rate: 0.032, low: 0.018, high: 0.052 },
};

export const outcomeOperations = defineOperations('Outcomes', operations, {
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
      with_recommendation: { days: [{ day: '2026-01-05', ...visits }], total: visits },
      without_recommendation: { days: [{ day: '2026-01-05', ...visits }], total: visits },
    },
  },
});
