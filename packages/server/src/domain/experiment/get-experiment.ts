import { type ExperimentRow, findExperiment } from '../../storage/postgres/experiments.ts';
import { notFound } from '../api-error.ts';
import type { Context } from '../context.ts';

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
