import type { Handlers } from '../http/handlers.ts';
import { deleteModel } from './delete-model.ts';
import { getModel } from './get-model.ts';
import { listModels } from './list-models.ts';
import { rollbackDeployment } from './rollback-deployment.ts';
import { project } from './show-project.ts';
import { shutdownDeployment } from './shutdown-deployment.ts';
import { updateModel } from './update-model.ts';

type ModelRow = Awaited<ReturnType<typeof getModel>>;

/** A model as the API returns it, without internal keys and the location of its file. */
const model = (row: ModelRow) => ({
  project_id: row.project_id,
  model_id: row.model_id,
  name: row.name,
  algorithm_type: row.algorithm_type,
  algorithm_parameters: row.algorithm_parameters,
  created_ts: row.created_ts,
  training: row.training,
});

export const modelHandlers = {
  getModel: async (call, { project_id, model_id }) => model(await getModel(call, project_id, model_id)),
  listModels: async (call, { project_id, ...request }) => {
    const { items, ...page } = await listModels(call, project_id, request, model);
    return { models: items, ...page };
  },
  updateModel: async (call, { project_id, model_id, name }) =>
    model(await updateModel(call, project_id, model_id, name)),
  deleteModel: async (call, { project_id, model_id }) => model(await deleteModel(call, project_id, model_id)),
  shutdownDeployment: async (call, { project_id }) => shutdownDeployment(call, project_id),
  rollbackDeployment: async (call, { project_id }) => project(await rollbackDeployment(call, project_id)),
} as const satisfies Handlers;
