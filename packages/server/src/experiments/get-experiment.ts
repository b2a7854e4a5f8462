import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { type ExperimentRow, findExperiment } from './rows/experiments.ts';

export async function getExperiment(
  ctx: Context,
  projectId: string,
  experimentId: string,
): Promise<ExperimentRow> {
  const row = await findExperiment(ctx.db, ctx.accountId, projectId, experimentId);
  return requireExperiment(row, projectId, experimentId);
}

export function requireExperiment(
  experiment: ExperimentRow | undefined,
  projectId: string,
  experimentId: string,
): ExperimentRow {
  if (!experiment) throw notFound('Experiment', experimentId, projectId);
  return experiment;
}
