import Type from 'typebox';
import { ids } from '../bookshop.ts';
import { Closed, Id, Name, NamedObject, Natural, Nullable } from '../fields.ts';
import { defineJobType } from '../job-type.ts';
import { limits } from '../limits.ts';

export const Guard = NamedObject(
  'Guard',
  {
    max_loss: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The share of its NDCG@20 that the deployment may lose: 0.01 accepts a candidate that is up to 1% worse.',
    }),
    when_undecided: Type.Optional(
      Type.Enum(['DEPLOY', 'REFUSE'], {
        description: `What to do if too few users have newer events for a decision: fewer than ${limits.guardUsersMin}, or hardly any of their events was predicted. Defaults to \`DEPLOY\`.`,
      }),
    ),
  },
  'Refuses a candidate that is worse than the deployed models. Both predict the same target events: the newest ones, which neither was trained on. The candidate is refused if the lower end of the interval of its loss is above `max_loss`; of candidates that are not worse than that, at most 5% are refused.',
);

const Loss = NamedObject(
  'GuardLoss',
  {
    value: Type.Number({ description: 'The measured loss.' }),
    low: Type.Number({ description: 'The lower end of the interval.' }),
    high: Type.Number({ description: 'The upper end of the interval.' }),
  },
  'The share of the NDCG@20 of the deployed models that the candidate loses, with its 90% confidence interval (Fieller 1954): the true loss is below `low` in at most 5% of cases. Negative if the candidate is better.',
);

const GuardReport = NamedObject(
  'GuardReport',
  {
    verdict: Type.Enum(['PASSED', 'REFUSED', 'UNDECIDED', 'NOTHING_DEPLOYED'], {
      description:
        '`PASSED`: the candidate is not worse than `max_loss` allows, beyond chance. `REFUSED`: it is. `UNDECIDED`: there were too few newer events. `NOTHING_DEPLOYED`: there was nothing to compare with.',
    }),
    compared_with: Nullable(
      NamedObject('ComparedModels', {
        generator_model_id: Id('model', 'The ID of the deployed generator'),
        ranker_model_id: Nullable(Id('model'), { description: 'The ID of the deployed ranker, or null.' }),
      }),
      { description: 'The models that were deployed. Null if there were none.' },
    ),
    since_ts: Nullable(Type.Integer({ minimum: 0 }), {
      description:
        'Only events after this time were predicted: neither the candidate nor the deployed models were trained on them. Null if nothing was compared.',
    }),
    users: Natural(
      `The number of users with such target events that were compared, at most ${limits.guardUsers.toLocaleString('en')}.`,
    ),
    deployed_ndcg_at_20: Nullable(Type.Number(), {
      description: 'The mean NDCG@20 of the deployed models over these users. Null without users.',
    }),
    candidate_ndcg_at_20: Nullable(Type.Number(), {
      description: 'The mean NDCG@20 of the candidate over the same users. Null without users.',
    }),
    loss: Nullable(Loss, { description: 'Null if the verdict is neither `PASSED` nor `REFUSED`.' }),
  },
  'How the candidate compares with the models that were deployed.',
);

const generator = 'The ID of the model that generates the recommendations';
const ranker = 'The ID of the model that re-ranks the recommendations. Null if there is none.';

export const deployment = defineJobType({
  data: NamedObject('DeploymentJobData', {
    generator_model_id: Id('model', generator),
    ranker_model_id: Nullable(Id('model'), { description: ranker }),
    guard: Type.Optional(Guard),
  }),
  result: NamedObject('DeploymentJobResult', {
    serving_uri: Type.String({ description: "The URL of the project's recommendation service." }),
    deployed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the models were deployed. False if the guard refused them: the previous deployment then keeps serving. Absent without a guard.',
      }),
    ),
    guard: Type.Optional(GuardReport),
  }),
  submit: {
    summary: 'Deploy one or two models to serve the recommendation call',
    description:
      'The model `generator_model_id` generates the recommendations; `ranker_model_id`, if present, re-ranks them. Every serving process loads and tests the models before the job switches to them, so no call fails because a deployment is replaced. If the job fails, the previous deployment keeps serving.\n\nWith a `guard`, the job first compares the models with those that are deployed, and ends with `deployed: false` if they are worse.',
    request: Closed({
      project_id: Id('project'),
      name: Name('job'),
      generator_model_id: Id('model', generator),
      ranker_model_id: Type.Optional(Nullable(Id('model'), { description: ranker })),
      qps: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: limits.qpsMax,
          description: `The number of recommendation calls allowed per second, across all processes. If absent, the current number stays; for a project without a deployment it is ${limits.qpsDefault}.`,
        }),
      ),
      guard: Type.Optional(Guard),
    }),
  },
  example: {
    request: { project_id: ids.project, name: 'Monday', generator_model_id: ids.model, qps: 50 },
    otherRequests: [
      {
        project_id: ids.project,
        name: 'Re-ranked',
        generator_model_id: ids.model,
        ranker_model_id: ids.ranker,
        qps: 50,
      },
      {
        project_id: ids.project,
        name: 'Guarded',
        generator_model_id: ids.model,
        guard: { max_loss: 0.01 },
      },
    ],
    response: { job_id: ids.deployment },
  },
});
