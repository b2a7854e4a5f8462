import { Closed, Id, Page, PageQuery } from '../schemas/fields.ts';
import { Model, ModelRef, UpdateModel } from '../schemas/model.ts';
import { ProjectRef } from '../schemas/project.ts';
import { Recommendation, RecommendItems } from '../schemas/recommendation.ts';
import type { Operation } from './operation.ts';

export const modelOperations = {
  getModel: {
    concept: 'Models',
    summary: 'Get a model',
    request: ModelRef,
    response: Model,
    errors: ['NOT_FOUND'],
  },
  listModels: {
    concept: 'Models',
    summary: "List a project's models",
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('models', Model),
    errors: ['NOT_FOUND'],
  },
  updateModel: {
    concept: 'Models',
    summary: 'Rename a model',
    request: UpdateModel,
    response: Model,
    errors: ['NOT_FOUND'],
  },
  deleteModel: {
    concept: 'Models',
    summary: 'Delete a model that is not deployed',
    request: ModelRef,
    response: Model,
    errors: ['NOT_FOUND', 'MODEL_DEPLOYED'],
  },
  shutdownDeployment: {
    concept: 'Models',
    summary: "Take down a project's deployment",
    request: ProjectRef,
    response: ProjectRef,
    errors: ['NOT_FOUND'],
  },
  recommendItemsToUser: {
    concept: 'Recommendation',
    summary: 'Recommend items to a user',
    request: RecommendItems,
    response: Recommendation,
    errors: ['NOT_FOUND', 'PROJECT_NOT_DEPLOYED', 'PROJECT_REQUIRED', 'QPS_EXCEEDED'],
    aliases: ['/projects/{project_id}/recommend-items-to-user'],
  },
} as const satisfies Record<string, Operation>;
