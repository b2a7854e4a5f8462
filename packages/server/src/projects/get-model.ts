import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { getProject } from './get-project.ts';
import { findModel, listModels as listRows, lockModel, type ModelRow } from './rows/models.ts';

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

export async function listModels<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: ModelRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `models ${projectId}`,
    rows: (bounds) => listRows(ctx.db, project_key, bounds),
    keyOf: (row) => row.model_key,
    present,
  });
}
