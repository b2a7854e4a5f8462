import { limits } from '../limits.ts';
import { Closed, Id, Page, PageQuery } from '../schemas/fields.ts';
import { Model, ModelRef, UpdateModel } from '../schemas/model.ts';
import { Project, ProjectRef } from '../schemas/project.ts';
import type { Operation } from './operation.ts';

export const modelOperations = {
  getModel: {
    concept: 'Models',
    summary: 'Get a model',
    description:
      '`training` describes how the model was trained: its parameters, its metrics on held-out events compared with recommending the most popular items, and what was left out.\n\nA model that is not in use is removed after 365 days (`MODEL_RETENTION_DAYS`). The call then returns `NOT_FOUND`, as after `/delete-model`. A model is in use while it is deployed, kept for a rollback, part of a running experiment, or named by a schedule or by a job that has not ended. The newest model of a project always stays.',
    request: ModelRef,
    response: Model,
    errors: ['NOT_FOUND'],
  },
  listModels: {
    concept: 'Models',
    summary: "List a project's models",
    description:
      'Returns the models of successful training jobs, newest first. Models that are old and not in use are removed: see `/get-model`.',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('models', Model),
    errors: ['NOT_FOUND'],
  },
  updateModel: {
    concept: 'Models',
    summary: 'Rename a model',
    description: 'Changes the display name. Nothing else about a model can be changed.',
    request: UpdateModel,
    response: Model,
    errors: ['NOT_FOUND'],
  },
  deleteModel: {
    concept: 'Models',
    summary: 'Delete a model that is not deployed',
    description: 'Returns the deleted model. Shut down a deployed model with `/shutdown-deployment` first.',
    request: ModelRef,
    response: Model,
    errors: ['NOT_FOUND', 'MODEL_DEPLOYED', 'EXPERIMENT_RUNNING'],
  },
  shutdownDeployment: {
    concept: 'Models',
    summary: "Shut down a project's deployment",
    description:
      "From the next call on, the project's recommendation calls return `PROJECT_NOT_DEPLOYED` until a model is deployed.",
    request: ProjectRef,
    response: ProjectRef,
    errors: ['NOT_FOUND'],
  },
  rollbackDeployment: {
    concept: 'Models',
    summary: 'Return to the models that were deployed before',
    description: `Takes effect with the next call on every process, without a job, and returns the project. \`qps\` stays as it is. The last ${limits.pastDeployments} deployments with other models are kept: a second rollback returns to the one before that. A deployment whose model was deleted is skipped.`,
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND', 'PROJECT_NOT_DEPLOYED', 'NO_EARLIER_DEPLOYMENT'],
  },
} as const satisfies Record<string, Operation>;
