import { requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { getProject } from './get-project.ts';
import { findModel, listModels as listRows, lockModel, type ModelRow } from './rows/models.ts';

/** Pass a transaction as `db` to read inside it. */
export async function getModel(
  ctx: Context,
  projectId: string,
  modelId: string,
  db: Queryable = ctx.db,
): Promise<ModelRow> {
  return requireModel(await findModel(db, ctx.accountId, projectId, modelId), projectId, modelId);
}

/** For a transaction that writes the model's ID: the model cannot be deleted until it ends. */
export async function getLockedModel(
  ctx: Context,
  tx: Queryable,
  projectId: string,
  modelId: string,
): Promise<ModelRow> {
  const model = await getModel(ctx, projectId, modelId, tx);
  return requireModel((await lockModel(tx, model.model_key)) ? model : undefined, projectId, modelId);
}

export const requireModel = (model: ModelRow | undefined, projectId: string, modelId: string): ModelRow =>
  requireFound(model, 'Model', modelId, projectId);

export async function listModels<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: ModelRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `models ${projectId}`,
    rows: (bounds) => listRows(ctx.db, bounds, project_key),
    keyOf: (row) => row.model_key,
    present,
  });
}
