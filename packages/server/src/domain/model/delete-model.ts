import { deleteModelRow, type ModelRow } from '../../storage/postgres/models.ts';
import type { Context } from '../context.ts';
import { foundModel } from './get-model.ts';

/** Answers the model as it last was; its file is removed in the background. */
export async function deleteModel(ctx: Context, projectId: string, modelId: string): Promise<ModelRow> {
  return foundModel(await deleteModelRow(ctx.db, ctx.accountId, projectId, modelId));
}
