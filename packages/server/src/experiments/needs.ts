import { ApiError } from '../http/api-error.ts';
import type { Deleting } from '../http/hooks.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findRunningExperiment } from './rows/experiments.ts';

type Needed = Extract<Deleting, { what: 'model' | 'scenario' }>;

/** Why a model or scenario must stay: a running experiment compares it, or runs in it. */
export async function explainNeed(db: Queryable, row: Needed): Promise<ApiError | undefined> {
  const use = row.what === 'model' ? { modelId: row.modelId } : { scenario: row.name };
  const experiment = await findRunningExperiment(db, row.accountId, row.projectId, use);
  if (experiment === undefined) return undefined;
  const need =
    row.what === 'model' ? `needs model \`${row.modelId}\`` : `is running in scenario \`${row.name}\``;
  return new ApiError(
    'EXPERIMENT_RUNNING',
    `Experiment \`${experiment}\` ${need}. Stop it with /stop-experiment, then delete the ${row.what}.`,
  );
}
