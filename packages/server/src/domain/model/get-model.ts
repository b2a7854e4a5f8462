import { findModel, type ModelRow } from '../../storage/postgres/models.ts';
import { notFound } from '../api-error.ts';
import type { Context } from '../context.ts';

export async function getModel(ctx: Context, projectId: string, modelId: string): Promise<ModelRow> {
  return requireModel(await findModel(ctx.db, ctx.accountId, projectId, modelId), projectId, modelId);
}

export function requireModel(model: ModelRow | undefined, projectId: string, modelId: string): ModelRow {
  if (!model) throw notFound('Model', modelId, projectId);
  return model;
}
