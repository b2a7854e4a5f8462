import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { isForeignKeyViolation } from '../kernel/postgres/pool.ts';
import { requireModel } from './get-model.ts';
import { deleteModelRow, type ModelRow } from './rows/models.ts';

/**
 * Returns the deleted model; its file is removed in the background. A deployed model is not deleted, even if its deployment
 * is published concurrently: one transaction waits for the other. A deployment that is published later fails.
 */
export async function deleteModel(ctx: Context, projectId: string, modelId: string): Promise<ModelRow> {
  try {
    return requireModel(await deleteModelRow(ctx.db, ctx.accountId, projectId, modelId), projectId, modelId);
  } catch (error) {
    // Only deployments and running experiments have a foreign key that prevents the delete.
    if (!isForeignKeyViolation(error)) throw error;
    const { accountId } = ctx;
    const needed = await ctx.hooks.neededBy(ctx.db, { what: 'model', accountId, projectId, modelId });
    if (needed) throw needed;
    throw new ApiError(
      'MODEL_DEPLOYED',
      `Model \`${modelId}\` is deployed. Call /shutdown-deployment or deploy another model, then delete this one.`,
      { cause: error },
    );
  }
}
