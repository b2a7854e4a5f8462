import { deleteModelRow, type ModelRow } from '../../storage/postgres/models.ts';
import { isForeignKeyViolation } from '../../storage/postgres/pool.ts';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { foundModel } from './get-model.ts';

/**
 * Answers the model as it last was; its file is removed in the background. One that is deployed stays, also when it is being
 * deployed at this moment: one of the two waits for the other. A deployment under way that has not come so far fails.
 */
export async function deleteModel(ctx: Context, projectId: string, modelId: string): Promise<ModelRow> {
  try {
    return foundModel(await deleteModelRow(ctx.db, ctx.accountId, projectId, modelId));
  } catch (error) {
    // Only deployments refer to a model in a way that keeps it.
    if (!isForeignKeyViolation(error)) throw error;
    throw new Fault(
      'MODEL_DEPLOYED',
      'The model is deployed. Take it down with /shutdown-deployment, or deploy another over it, then delete it.',
      { cause: error },
    );
  }
}
