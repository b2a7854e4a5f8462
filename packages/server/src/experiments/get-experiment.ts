import { requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { type ExperimentRow, findExperiment } from './rows/experiments.ts';

export async function getExperiment(ctx: Context, projectId: string, id: string): Promise<ExperimentRow> {
  const row = await findExperiment(ctx.db, ctx.accountId, projectId, id);
  return requireExperiment(row, projectId, id);
}

export const requireExperiment = (
  row: ExperimentRow | undefined,
  projectId: string,
  id: string,
): ExperimentRow => requireFound(row, 'Experiment', id, projectId);
