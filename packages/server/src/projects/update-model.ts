import type { Context } from '../http/context.ts';
import { requireModel } from './get-model.ts';
import { type ModelRow, updateModelName } from './rows/models.ts';

export async function updateModel(
  ctx: Context,
  projectId: string,
  modelId: string,
  name: string,
): Promise<ModelRow> {
  return requireModel(
    await updateModelName(ctx.db, ctx.accountId, projectId, modelId, name),
    projectId,
    modelId,
  );
}
