import { findModel, type ModelRow } from '../../storage/postgres/models.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';

/** The model of the account's project, or NOT_FOUND. */
export async function getModel(ctx: Context, projectId: string, modelId: string): Promise<ModelRow> {
  return foundModel(await findModel(ctx.db, ctx.accountId, projectId, modelId));
}

export function foundModel(model: ModelRow | undefined): ModelRow {
  if (!model) throw notFound('model');
  return model;
}
