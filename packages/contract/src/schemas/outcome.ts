import Type from 'typebox';
import { Closed, Id, ItemId, MapOf, Named, Nullable, Ts, UserId } from './fields.ts';
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
    scenario: Type.String({
      description: 'The scenario of the call; `default` for a call without one.',
    }),
    scenario_version: Nullable(Type.Integer({ minimum: 1 }), {
      description: 'The version of the scenario. Null for a call without one.',
    }),
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
