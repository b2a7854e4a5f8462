import Type from 'typebox';
import { ids } from '../examples/bookshop.ts';
import { limits } from '../limits.ts';
import { Closed, Id, Name, Named, Nullable } from '../schemas/fields.ts';
import { Guard, GuardReport } from '../schemas/guard.ts';
import { defineJobType } from './job-type.ts';

const generator = 'The ID of the model that generates the recommendations';
const ranker = 'The ID of the model that re-ranks the recommendations. Null if there is none.';

export const deployment = defineJobType({
  data: Named(
    'DeploymentJobData',
    Closed({
      generator_model_id: Id('model', generator),
      ranker_model_id: Nullable(Id('model'), { description: ranker }),
      guard: Type.Optional(Guard),
    }),
  ),
  result: Named(
    'DeploymentJobResult',
    Closed({
      serving_uri: Type.String({ description: "The URL of the project's recommendation service." }),
      deployed: Type.Optional(
        Type.Boolean({
          description:
            'Whether the models were deployed. False if the guard refused them: the previous deployment then keeps serving. Absent without a guard.',
        }),
      ),
      guard: Type.Optional(GuardReport),
    }),
  ),
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
