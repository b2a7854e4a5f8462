import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, Day, Id, ItemId, MapOf, Named, Nullable, NullableTs, Ts, UserId } from './fields.ts';
import { ScenarioName } from './placement.ts';
import { Reason } from './recommendation.ts';
import { AppliedRule } from './rules.ts';
import { Question } from './scenario.ts';

export const RecommendationRef = Closed({
  project_id: Id('project'),
  recommendation_id: Id('recommendation', 'The ID of the response'),
});

const GivenItem = Named(
  'GivenItem',
  Closed({
    item_id: ItemId,
    position: Type.Integer({ minimum: 1, description: 'The position in the response, starting at 1.' }),
    score: Type.Number({ description: 'The score of the item; higher is better.' }),
    rules: Type.Array(AppliedRule, { description: 'The rules of the call that affected the item.' }),
    reasons: Nullable(Type.Array(Reason), {
      description:
        'Why the item was recommended, as the response said it. Null if the call did not set `explain`: reasons depend on what the user had done until then, so they are kept, not computed again.',
    }),
  }),
);

const ExperimentId = Nullable(Id('experiment'), {
  description: 'The ID of the experiment. Null for calls that were not part of one.',
});

export const GivenRecommendation = Named(
  'GivenRecommendation',
  Closed({
    recommendation_id: Id('recommendation', 'The ID of the response'),
    project_id: Id('project'),
    question: Question,
    ts: Ts('When the response was given'),
    expires_ts: Ts('When the record of the response is removed'),
    user_id: Nullable(UserId, {
      description: 'The user of the call. Null for a call without `user_id`.',
    }),
    is_trial: Type.Boolean({
      description: 'Whether a person tried the call out in the console. It has no outcomes then.',
    }),
    scenario: Type.String({
      description: 'The scenario of the call; `default` for a call without one.',
    }),
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
    degraded: Type.Array(Type.String(), { description: 'What was missing from the response.' }),
    results: Type.Array(GivenItem, { description: 'The recommended items, best first.' }),
  }),
);

export const OutcomesQuery = Closed({
  project_id: Id('project'),
  scenario: Type.Optional(ScenarioName),
  since_ts: Type.Optional(Ts('Return only days that end after this time')),
  until_ts: Type.Optional(Ts('Return only days that start before this time')),
});

const measureFields = {
  total: Type.Number({ description: 'The number or the sum.' }),
  rate: Nullable(Type.Number(), {
    description: 'The total per response (or per visit). Null if there are none.',
  }),
  low: Nullable(Type.Number(), {
    description:
      'The lower end of the 95% interval of the rate. It takes into account that the responses to one user are alike. Null if it cannot be estimated.',
  }),
  high: Nullable(Type.Number(), { description: 'The upper end of the interval.' }),
};

const Measure = (description: string) => Named('OutcomeMeasure', Closed(measureFields, { description }));

const conversions = {
  target_events: Measure('The target events.'),
  value: Measure('The sum of `event_value` of the target events.'),
};

const outcomeFields = {
  scenario: Type.String({ description: 'The scenario of the calls; `default` for calls without one.' }),
  model_id: Nullable(Id('model'), { description: 'The ID of the model that generated the recommendations.' }),
  experiment_id: ExperimentId,
  variant: Nullable(Type.String(), {
    description: 'The variant of the experiment. Null for calls that were not part of one.',
  }),
  answers: Type.Integer({ minimum: 0, description: 'The number of responses.' }),
  clicked: Measure('The responses with an event on a recommended item.'),
  converted: Measure('The responses with a target event.'),
  ...conversions,
};

const visitFields = {
  visits: Type.Integer({ minimum: 0, description: 'The number of visits: a user and an item, per day.' }),
  converted: Measure('The visits with a target event.'),
  ...conversions,
};

const Outcome = Named('Outcome', Closed(outcomeFields));
const DailyOutcome = Named('DailyOutcome', Closed({ day: Day, ...outcomeFields }));
const Organic = Named(
  'OrganicOutcome',
  Closed(visitFields, { description: 'The same, over all days of the response.' }),
);
const DailyOrganic = Named('DailyOrganicOutcome', Closed({ day: Day, ...visitFields }));

export const Outcomes = Named(
  'Outcomes',
  Closed({
    project_id: Id('project'),
    attribution_hours: Type.Integer({
      minimum: 1,
      description: 'How long after a response an event without `recommendation_id` counts as its result.',
    }),
    attributed_ts: NullableTs(
      'When events were last attributed; later ones are not included yet',
      'Null before the first time.',
    ),
    days: Type.Array(DailyOutcome, {
      description: `The outcomes of the responses of each day, newest first: \`clicked\` are the responses with an event on a recommended item, \`converted\` those with a target event, \`target_events\` and \`value\` the target events and the sum of their \`event_value\`. At most ${limits.outcomeDays} entries.`,
    }),
    totals: Type.Array(Outcome, { description: 'The same, over all days of the response.' }),
    without_recommendation: Closed(
      {
        days: Type.Array(DailyOrganic, { description: 'By day of the event, newest first.' }),
        total: Organic,
      },
      {
        description: 'What users did with items that no response led them to.',
        title: 'OutcomesWithoutRecommendation',
      },
    ),
  }),
);
