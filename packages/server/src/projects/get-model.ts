import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findModel, lockModel, type ModelRow } from './rows/models.ts';

export async function getModel(ctx: Context, projectId: string, modelId: string): Promise<ModelRow> {
  return requireModel(await findModel(ctx.db, ctx.accountId, projectId, modelId), projectId, modelId);
}

/** For a transaction that writes the model's ID: the model cannot be deleted until it ends. */
export async function getLockedModel(
  ctx: Context,
  tx: Queryable,
  projectId: string,
  modelId: string,
): Promise<ModelRow> {
  const model = requireModel(await findModel(tx, ctx.accountId, projectId, modelId), projectId, modelId);
  return requireModel((await lockModel(tx, model.model_key)) ? model : undefined, projectId, modelId);
}

export function requireModel(model: ModelRow | undefined, projectId: string, modelId: string): ModelRow {
  if (!model) throw notFound('Model', modelId, projectId);
  return model;
}
