import { type ModelRow, updateModelName } from '../../storage/postgres/models.ts';
import type { Context } from '../context.ts';
import { requireModel } from './get-model.ts';

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
