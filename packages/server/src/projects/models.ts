import { ApiError } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { isForeignKeyViolation } from '../kernel/postgres/pool.ts';
import { getModel, listModels, requireModel } from './get-model.ts';
import { getProject, showProject } from './get-project.ts';
import { deleteDeployment } from './rows/deployments.ts';
import { deleteModelRow, type ModelRow, updateModelName } from './rows/models.ts';
import { lockDeployment, rollbackToPast } from './rows/past-deployments.ts';

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
   * The model's file is removed in the background. A deployed model is not deleted, even if its deployment is published
   * concurrently: one transaction waits for the other. A deployment that is published later fails.
   */
  deleteModel: async ({ db, accountId, hooks }, { project_id: projectId, model_id: modelId }) => {
    try {
      const row = await deleteModelRow(db, accountId, projectId, modelId);
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

  /** The next call on every process uses the models before. A running deployment job still deploys when it finishes. */
  rollbackDeployment: async (ctx, { project_id: projectId }) =>
    ctx.db.transaction(async (tx) => {
      const find = () => getProject(ctx, projectId, tx);
      await lockDeployment(tx, (await find()).project_key);
      const { project_key, deployment } = await find();
      if (!deployment)
        throw new ApiError(
          'PROJECT_NOT_DEPLOYED',
          `Project \`${projectId}\` has no deployed model, so there is nothing to roll back. Deploy a model with /submit-deployment-job.`,
        );
      if (!(await rollbackToPast(tx, project_key)))
        throw new ApiError(
          'NO_EARLIER_DEPLOYMENT',
          `No other models were deployed in project \`${projectId}\` before, or they were deleted. Deploy another model with /submit-deployment-job.`,
        );
      return showProject(await find());
    }),
} as const satisfies Handlers;
