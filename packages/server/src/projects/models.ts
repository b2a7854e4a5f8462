import { ApiError } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { isForeignKeyViolation } from '../kernel/postgres/pool.ts';
import { getModel, listModels, requireModel } from './get-model.ts';
import { getProject } from './get-project.ts';
import { deleteDeployment } from './rows/deployments.ts';
import { deleteModelRow, type ModelRow, updateModelName } from './rows/models.ts';
import { isWayBack, lockDeployment } from './rows/past-deployments.ts';

/** A model as the API returns it, without internal keys and the location of its file. */
const showModel = (row: ModelRow) => ({
  project_id: row.project_id,
  model_id: row.model_id,
  name: row.name,
  algorithm_type: row.algorithm_type,
  algorithm_parameters: row.algorithm_parameters,
  created_ts: row.created_ts,
  training: row.training,
});

const keptForRollback = (modelId: string) =>
  new ApiError(
    'MODEL_KEPT',
    `/rollback-deployment returns to model \`${modelId}\`. Deploy another model with /submit-deployment-job or call /shutdown-deployment, then delete this one.`,
  );

/** Models, and which of them a project has deployed. */
export const modelHandlers = {
  getModel: async (ctx, { project_id, model_id }) => showModel(await getModel(ctx, project_id, model_id)),

  listModels: async (ctx, { project_id, ...request }) => {
    const { items, ...page } = await listModels(ctx, project_id, request, showModel);
    return { models: items, ...page };
  },

  updateModel: async (ctx, { project_id, model_id, name }) => {
    const row = await updateModelName(ctx.db, ctx.accountId, project_id, model_id, name);
    return showModel(requireModel(row, project_id, model_id));
  },

  /**
   * The model's file is removed in the background. A model that is deployed or that a rollback returns to is not deleted, even if the
   * deployment is published concurrently: one transaction waits for the other. A deployment that is published later fails.
   */
  deleteModel: async (ctx, { project_id: projectId, model_id: modelId }) => {
    const { db, accountId, hooks } = ctx;
    try {
      const row = await db.transaction(async (tx) => {
        const { project_key } = await getProject(ctx, projectId, tx);
        await lockDeployment(tx, project_key);
        if (await isWayBack(tx, project_key, modelId)) throw keptForRollback(modelId);
        return deleteModelRow(tx, accountId, projectId, modelId);
      });
      return showModel(requireModel(row, projectId, modelId));
    } catch (error) {
      // Only deployments and running experiments have a foreign key that prevents the delete.
      if (!isForeignKeyViolation(error)) throw error;
      const needed = await hooks.neededBy(db, { what: 'model', accountId, projectId, modelId });
      if (needed) throw needed;
      throw new ApiError(
        'MODEL_DEPLOYED',
        `Model \`${modelId}\` is deployed. Call /shutdown-deployment or deploy another model, then delete this one.`,
        { cause: error },
      );
    }
  },

  /** Refuses calls that start from now on, until a model is deployed. A running deployment job still deploys when it finishes. */
  shutdownDeployment: async (ctx, request) => {
    const { project_id } = await getProject(ctx, request.project_id);
    await deleteDeployment(ctx.db, ctx.accountId, project_id);
    return { project_id };
  },
} as const satisfies Handlers;
