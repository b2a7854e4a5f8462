import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { type ExperimentRow, findExperiment } from './rows/experiments.ts';

export async function getExperiment(ctx: Context, projectId: string, id: string): Promise<ExperimentRow> {
  const row = await findExperiment(ctx.db, ctx.accountId, projectId, id);
  return requireExperiment(row, projectId, id);
}

export function requireExperiment(
  row: ExperimentRow | undefined,
  projectId: string,
  id: string,
): ExperimentRow {
  if (!row) throw notFound('Experiment', id, projectId);
  return row;
}
